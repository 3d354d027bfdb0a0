#pragma once

#include <QString>
#include <QWidget>

#include <vector>

class QScrollArea;

namespace flcc::ui {

/// A list to choose one row from. A row has a name, a word beside it, and a button that removes it.
/// The chosen row is checked. A list of a single row is hidden.
class RowList : public QWidget {
    Q_OBJECT

  public:
    struct Row {
        QString name;
        QString spoken; ///< the accessible name
        QString tip;
        QString word;
        QString removeSpoken;
        QString removeTip;
    };

    /// The rows' buttons are named `object`0, `object`1 ...; the buttons that remove rows,
    /// `removeObject`0 ...
    RowList(const QString& object, const QString& removeObject, QWidget* parent = nullptr);

    void setRows(const std::vector<Row>& rows, int active);

  Q_SIGNALS:
    // Both signals are queued, so that the receiver may replace the rows.
    void chosen(int row);
    void removed(int row);

  private:
    QWidget* makeRow(int index, const Row& of, bool active, QWidget* parent);

    QString m_object;
    QString m_removeObject;
    QScrollArea* m_area = nullptr;
};

} // namespace flcc::ui
