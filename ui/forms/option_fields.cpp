#include "ui/forms/option_fields.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSignalBlocker>
#include <QSpinBox>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "engine/base/error.h"
#include "ui/base/option_faces.h"
#include "ui/base/option_names.h"
#include "ui/base/text.h"
#include "ui/forms/folding_form.h"
#include "ui/forms/text_fields.h"

namespace flcc::ui {

namespace {

/// "minOverlap" of "min-overlap"; after a prefix "filterMinOverlap".
QString fieldName(const QString& prefix, std::string_view option) {
    QString name = prefix;
    bool capital = !prefix.isEmpty();
    for (const char letter : option) {
        if (letter == '-') {
            capital = true;
        } else {
            name += std::exchange(capital, false) ? QChar(letter).toUpper() : QChar(letter);
        }
    }
    return name;
}

/// An option of two words is a switch.
bool isOnOff(const std::vector<std::string>& words) {
    return words == std::vector<std::string>{"on", "off"};
}

bool hasNothing(const OptionFace& face) { return *face.nothing != '\0'; }

} // namespace

OptionFields::OptionFields(std::string_view command, TextFields& texts, QString prefix,
                           QObject* parent)
    : QObject(parent), m_command(command), m_options(job::optionsOf(command)), m_texts(texts),
      m_prefix(std::move(prefix)) {}

OptionFields::Kind OptionFields::kindOf(const job::CommandOption& option,
                                        const OptionFace& face) const {
    if (option.kind == job::ValueKind::Flag || isOnOff(option.words)) {
        return Kind::Switch;
    }
    if (!option.words.empty()) {
        return Kind::Words;
    }
    if (face.decimals < 0 || option.most <= option.least) {
        return Kind::Text;
    }
    return option.kind == job::ValueKind::Integer ? Kind::Count : Kind::Number;
}

QWidget* OptionFields::make(std::string_view option, QWidget* parent) {
    const auto row = std::ranges::find(m_options, option, &job::CommandOption::name);
    const OptionFace* const face = faceOf(option, m_command);
    if (row == m_options.end() || face == nullptr) {
        throw std::logic_error("no field for the option " + std::string(option));
    }
    Field field{*row, face, kindOf(*row, *face), nullptr, {}};
    switch (field.kind) {
    case Kind::Words:
        field.widget = makeWords(field, parent);
        break;
    case Kind::Switch:
        field.widget = makeSwitch(field, parent);
        break;
    case Kind::Count:
        field.widget = makeCount(field, parent);
        break;
    case Kind::Number:
        field.widget = makeNumber(field, parent);
        break;
    case Kind::Text:
        field.widget = makeText(field, parent);
        break;
    }
    field.widget->setObjectName(fieldName(m_prefix, option));
    field.widget->setAccessibleName(faceText(face->label));
    field.widget->setToolTip(faceText(face->tip));
    m_fields.push_back(field);
    return field.widget;
}

QWidget* OptionFields::addRow(FoldingForm& form, std::string_view option) {
    QWidget* const field = make(option, &form);
    const bool named = qobject_cast<QCheckBox*>(field) != nullptr;
    form.addRow(named ? QString() : field->accessibleName(), field->toolTip(), field);
    return field;
}

QWidget* OptionFields::addRow(QFormLayout& form, std::string_view option) {
    QWidget* const field = make(option, form.parentWidget());
    auto* label = new QLabel(field->accessibleName(), form.parentWidget());
    label->setBuddy(field);
    form.addRow(label, field);
    return field;
}

QWidget* OptionFields::makeWords(const Field& field, QWidget* parent) {
    auto* box = new QComboBox(parent);
    const auto add = [&](std::string_view word) {
        box->addItem(wordText(*field.face, word), toQString(word));
    };
    for (const OptionFace::Word& word : field.face->words) {
        add(word.word);
    }
    for (const std::string& word : field.option.words) {
        if (box->findData(toQString(word)) < 0) {
            add(word);
        }
    }
    connect(box, &QComboBox::currentIndexChanged, this,
            [this, name = field.option.name] { tell(name); });
    return box;
}

QWidget* OptionFields::makeSwitch(const Field& field, QWidget* parent) {
    auto* box = new QCheckBox(faceText(field.face->label), parent);
    connect(box, &QCheckBox::toggled, this, [this, name = field.option.name] { tell(name); });
    return box;
}

QWidget* OptionFields::makeCount(const Field& field, QWidget* parent) {
    auto* box = new QSpinBox(parent);
    constexpr double kMost = std::numeric_limits<int>::max();
    const auto least = static_cast<int>(field.option.least);
    box->setRange(hasNothing(*field.face) ? least - 1 : least,
                  static_cast<int>(std::min(field.option.most, kMost)));
    box->setSpecialValueText(faceText(field.face->nothing));
    connect(box, &QSpinBox::valueChanged, this, [this, name = field.option.name] { tell(name); });
    return box;
}

QWidget* OptionFields::makeNumber(const Field& field, QWidget* parent) {
    auto* box = new QDoubleSpinBox(parent);
    const double least = field.option.least;
    box->setDecimals(field.face->decimals);
    box->setSingleStep(field.face->step);
    box->setRange(hasNothing(*field.face) ? least - field.face->step : least, field.option.most);
    box->setSpecialValueText(faceText(field.face->nothing));
    connect(box, &QDoubleSpinBox::valueChanged, this,
            [this, box, least, name = field.option.name](double value) {
                if (value < least) {
                    box->setValue(box->minimum()); // nothing lies between
                }
                tell(name);
            });
    return box;
}

QWidget* OptionFields::makeText(const Field& field, QWidget* parent) {
    QLineEdit* const edit = m_texts.make(faceText(field.face->nothing), parent);
    connect(edit, &QLineEdit::editingFinished, this, [this, name = field.option.name] {
        checkText(*std::ranges::find(
            m_fields, name, [](const Field& each) { return std::string_view(each.option.name); }));
    });
    return edit;
}

void OptionFields::write(std::string_view option, const QString& text) {
    field<QLineEdit>(option).setText(text);
    checkText(*std::ranges::find(
        m_fields, option, [](const Field& each) { return std::string_view(each.option.name); }));
}

void OptionFields::check() {
    for (Field& field : m_fields) {
        if (field.kind == Kind::Text) {
            checkText(field);
        }
    }
}

void OptionFields::checkText(Field& field) {
    auto& edit = static_cast<QLineEdit&>(*field.widget);
    const std::string typed = edit.text().trimmed().toStdString();
    try {
        const std::optional<std::string> valid = job::checkedOption(
            m_command, field.option.name, typed.empty() ? std::nullopt : std::optional(typed));
        const bool another = valid != field.value;
        showText(field, valid);
        Q_EMIT checked();
        if (another) {
            tell(field.option.name);
        }
    } catch (const base::Error& error) {
        m_texts.refuse(&edit, inWindowWords(error));
    }
}

const OptionFields::Field& OptionFields::find(std::string_view option) const {
    const auto found = std::ranges::find_if(
        m_fields, [&](const Field& field) { return field.option.name == option; });
    if (found == m_fields.end()) {
        throw std::logic_error("no field was made for the option " + std::string(option));
    }
    return *found;
}

std::optional<std::string> OptionFields::text(std::string_view option) const {
    return textOf(find(option));
}

std::optional<std::string> OptionFields::textOf(const Field& field) const {
    switch (field.kind) {
    case Kind::Words:
        return static_cast<QComboBox&>(*field.widget).currentData().toString().toStdString();
    case Kind::Switch: {
        const bool on = static_cast<QCheckBox&>(*field.widget).isChecked();
        return field.option.words.empty() ? (on ? "true" : "false") : (on ? "on" : "off");
    }
    case Kind::Count: {
        const auto& box = static_cast<QSpinBox&>(*field.widget);
        const bool nothing = hasNothing(*field.face) && box.value() == box.minimum();
        // A value beyond the field's range is kept until a person changes it.
        const std::int64_t exact = field.value ? std::stoll(*field.value) : box.minimum();
        const auto shown = std::clamp<std::int64_t>(exact, box.minimum(), box.maximum());
        return nothing                ? std::nullopt
               : shown == box.value() ? field.value
                                      : std::optional(std::to_string(box.value()));
    }
    case Kind::Number: {
        const auto& box = static_cast<QDoubleSpinBox&>(*field.widget);
        const bool nothing = hasNothing(*field.face) && box.value() < field.option.least;
        // A field shows a rounded value.
        const bool same =
            field.value &&
            box.textFromValue(box.value()) ==
                box.textFromValue(std::clamp(QString::fromStdString(*field.value).toDouble(),
                                             box.minimum(), box.maximum()));
        return nothing ? std::nullopt
               : same  ? field.value
                       : std::optional(QString::number(box.value(), 'g', 12).toStdString());
    }
    case Kind::Text:
        return field.value;
    }
    return std::nullopt;
}

void OptionFields::showText(Field& field, const std::optional<std::string>& text) {
    const QSignalBlocker quiet(field.widget);
    field.value = text;
    const QString shown = text ? toQString(*text) : QString();
    switch (field.kind) {
    case Kind::Words: {
        auto& box = static_cast<QComboBox&>(*field.widget);
        box.setCurrentIndex(box.findData(shown));
        break;
    }
    case Kind::Switch:
        static_cast<QCheckBox&>(*field.widget).setChecked(text == "true" || text == "on");
        break;
    case Kind::Count: {
        auto& box = static_cast<QSpinBox&>(*field.widget);
        const std::int64_t value = text ? std::stoll(*text) : box.minimum();
        box.setValue(
            static_cast<int>(std::clamp<std::int64_t>(value, box.minimum(), box.maximum())));
        break;
    }
    case Kind::Number: {
        auto& box = static_cast<QDoubleSpinBox&>(*field.widget);
        box.setValue(text ? shown.toDouble() : box.minimum());
        break;
    }
    case Kind::Text: {
        auto& edit = static_cast<QLineEdit&>(*field.widget);
        m_texts.accept(&edit);
        static const QRegularExpression kSize(QStringLiteral("^([0-9]+)([KMGT]iB)$"));
        edit.setText(QString(shown).replace(kSize, QStringLiteral("\\1 \\2")));
        break;
    }
    }
}

} // namespace flcc::ui
