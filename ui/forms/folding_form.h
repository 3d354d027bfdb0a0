#pragma once

#include <QWidget>

#include <initializer_list>
#include <vector>

class QFormLayout;
class QLayout;
class QToolButton;

namespace flcc::ui {

/// Between the edges of a form and its fields, in logical pixels.
inline constexpr int kFormMargin = 10;

/// Rows of labelled fields under headings that fold them.
class FoldingForm : public QWidget {
    Q_OBJECT

  public:
    explicit FoldingForm(QWidget* parent = nullptr);

    void addRow(const QString& label, QWidget* field, const char* name, const QString& tip);
    /// A field that has its name and tooltip.
    void addRow(const QString& label, const QString& tip, QWidget* field);
    /// A field and the buttons beside it as one row.
    void addRowWithButtons(const QString& label, const QString& tip, QWidget* field,
                           std::initializer_list<QToolButton*> buttons);
    void addRow(const QString& label, const QString& tip, QWidget* buddy, QLayout* row);
    void add(QWidget* widget); ///< across labels and fields
    void setRowVisible(QWidget* field, bool on);
    QToolButton* smallButton(const char* name, const QIcon& icon, const QString& text,
                             const QString& tip);

    /// Adds a heading that folds the rows up to the next heading.
    void addSection(const QString& title, const char* name, bool initiallyOpen);
    /// Folds the sections that were folded when the window was closed; all rows must be there.
    void restoreFolds();
    /// Marks the heading of a section in which a value differs from its default.
    void markSection(const char* name, bool changed);

    /// All labels become as wide as the widest of all forms.
    static void alignLabels(std::initializer_list<const FoldingForm*> forms);
    /// A heading with an arrow.
    static QToolButton* makeHead(const QString& title, const char* name, QWidget* parent);

  private:
    struct Section {
        QToolButton* head;
        QString title;
        int firstRow;
        bool open;
    };
    void unfold(Section& section, bool open);

    QFormLayout* m_layout = nullptr;
    std::vector<Section> m_sections;
};

} // namespace flcc::ui
