#pragma once

#include <QString>
#include <QWidget>

#include <vector>

class QScrollArea;

namespace flcc::ui {

/// Rows to choose one from: a name, a word beside it, a button that removes the row. The chosen one
/// is checked. Shows nothing for a single row.
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

    /// Buttons are named `object`0 and so on; those that remove, `removeObject`0.
    RowList(const QString& object, const QString& removeObject, QWidget* parent = nullptr);

    void setRows(const std::vector<Row>& rows, int active);

  Q_SIGNALS:
    // Both come from the event loop, when the rows may go.
    void chosen(int row);
    void removed(int row);

  private:
    QWidget* makeRow(int index, const Row& of, bool active, QWidget* parent);

    QString m_object;
    QString m_removeObject;
    QScrollArea* m_area = nullptr;
};

} // namespace flcc::ui
