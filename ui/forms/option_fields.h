#pragma once

#include <QObject>
#include <QString>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/job/any_job.h"

class QFormLayout;
class QWidget;

namespace flcc::ui {

struct OptionFace;
class FoldingForm;
class TextFields;

/// Fields that are made from the rows of a command's options and their faces: a choice of words, a
/// switch, a number, or a text, which is checked as the command line checks it.
class OptionFields : public QObject {
    Q_OBJECT

  public:
    /// `prefix`: of the names of the fields: "filter" makes "filterBorder" of `border`.
    OptionFields(std::string_view command, TextFields& texts, QString prefix, QObject* parent);

    /// Makes the field of an option that has a face.
    QWidget* make(std::string_view option, QWidget* parent);
    /// Makes it as a row with its label.
    QWidget* addRow(FoldingForm& form, std::string_view option);
    QWidget* addRow(QFormLayout& form, std::string_view option);

    /// The field of an option that was made as a widget of class `W`.
    template <class W> [[nodiscard]] W& field(std::string_view option) const {
        return static_cast<W&>(*find(option).widget);
    }
    /// Takes a text as if a person had written it.
    void write(std::string_view option, const QString& text);
    /// Checks the texts that were set and not left.
    void check();
    /// The value as text; empty where none is set.
    [[nodiscard]] std::optional<std::string> text(std::string_view option) const;

    /// Shows the values of a job without a signal.
    template <class J> void show(const J& job) {
        for (Field& field : m_fields) {
            showText(field, job::optionText(job, field.option.name));
        }
    }
    template <class J> void read(J& job) const {
        for (const Field& field : m_fields) {
            job::setOption(job, field.option.name, textOf(field));
        }
    }

  Q_SIGNALS:
    void changed(const QString& option); ///< a person, or the program, changed its value
    void checked();                      ///< a text was left, and is valid

  private:
    enum class Kind { Words, Switch, Count, Number, Text };
    struct Field {
        job::CommandOption option;
        const OptionFace* face;
        Kind kind;
        QWidget* widget;
        std::optional<std::string> value; ///< what show() was called with; of texts the valid one
    };

    [[nodiscard]] const Field& find(std::string_view option) const;
    [[nodiscard]] Kind kindOf(const job::CommandOption& option, const OptionFace& face) const;
    [[nodiscard]] std::optional<std::string> textOf(const Field& field) const;
    void showText(Field& field, const std::optional<std::string>& text);
    QWidget* makeWords(const Field& field, QWidget* parent);
    QWidget* makeSwitch(const Field& field, QWidget* parent);
    QWidget* makeCount(const Field& field, QWidget* parent);
    QWidget* makeNumber(const Field& field, QWidget* parent);
    QWidget* makeText(const Field& field, QWidget* parent);
    void checkText(Field& field);
    void tell(const std::string& option) { Q_EMIT changed(QString::fromStdString(option)); }

    std::string m_command;
    std::vector<job::CommandOption> m_options;
    TextFields& m_texts;
    QString m_prefix;
    std::vector<Field> m_fields;
};

} // namespace flcc::ui
