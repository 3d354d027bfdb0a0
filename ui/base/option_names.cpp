#include "ui/base/option_names.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>

#include "engine/base/error.h"
#include "ui/base/option_faces.h"
#include "ui/base/text.h"

namespace flcc::ui {
namespace {

/// The label of a word of an option; empty for other words.
QString labelOf(const OptionFace& face, std::string_view word) {
    const auto found = std::ranges::find(face.words, word, &OptionFace::Word::word);
    return found == face.words.end() ? QString() : faceText(found->label);
}

/// "700x600x1" becomes "700 × 600", but not as a part of a file name.
QString withoutFlatDepths(QString sentence) {
    static const QRegularExpression extents(
        QStringLiteral("(?<![\\w./-])(\\d+)x(\\d+)x1(?![\\w/-]|\\.\\w)"));
    return sentence.replace(extents, QStringLiteral("\\1 × \\2"));
}

} // namespace

QString inWindowWords(const QString& sentence) {
    static const QRegularExpression option(QStringLiteral("--([a-z][a-z-]*[a-z])( [a-z]+)?"));
    QString result;
    qsizetype from = 0;
    for (auto each = option.globalMatch(sentence); each.hasNext();) {
        const QRegularExpressionMatch match = each.next();
        const OptionFace* const face = faceOf(match.captured(1).toStdString());
        if (face == nullptr) {
            continue;
        }
        const QString value = labelOf(*face, match.captured(2).trimmed().toStdString());
        result += sentence.mid(from, match.capturedStart() - from) +
                  QStringLiteral("\"%1\"").arg(faceText(face->label));
        if (value.isEmpty()) {
            result += match.captured(2); // the next word of the sentence
        } else {
            result += QStringLiteral(" \"%1\"").arg(value);
        }
        from = match.capturedEnd();
    }
    return withoutFlatDepths(result + sentence.mid(from));
}

namespace {

QString valueWords(const base::Message::Value& value) {
    if (const auto* extents = std::get_if<base::Extents>(&value)) {
        return withoutFlatDepths(toQString(base::toString(*extents)));
    }
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
        return QString::number(*number);
    }
    return withoutFlatDepths(toQString(std::get<std::string>(value)));
}

/// The label of an option's control in quotes; an option that the window lacks stays as it is.
QString optionWords(std::string_view option, std::string_view word) {
    const OptionFace* const face = faceOf(option);
    if (face == nullptr) {
        return QStringLiteral("--") + toQString(option) +
               (word.empty() ? QString() : QStringLiteral(" ") + toQString(word));
    }
    const QString value = labelOf(*face, word);
    return QStringLiteral("\"%1\"").arg(faceText(face->label)) +
           (word.empty()      ? QString()
            : value.isEmpty() ? QStringLiteral(" ") + toQString(word)
                              : QStringLiteral(" \"%1\"").arg(value));
}

} // namespace

QString inWindowWords(const base::Error& error) {
    const base::Message* const message = error.message();
    if (message == nullptr) {
        return inWindowWords(error.what());
    }
    // Languages translate the pattern in this context.
    const QString pattern = QCoreApplication::translate("flcc::engine", message->pattern().c_str());
    const std::string said = message->say(
        pattern.toStdString(),
        {[](const base::Message::Value& value) { return valueWords(value).toStdString(); },
         [](std::string_view option, std::string_view word) {
             return optionWords(option, word).toStdString();
         }});
    return inWindowWords(error.context()) + toQString(said);
}

QString inWindowWords(const std::exception& error) {
    const auto* const own = dynamic_cast<const base::Error*>(&error);
    return own != nullptr ? inWindowWords(*own) : inWindowWords(error.what());
}

QString inWindowWords(std::string_view sentence) { return inWindowWords(toQString(sentence)); }

QString inWindowWords(const char* sentence) { return inWindowWords(std::string_view(sentence)); }

} // namespace flcc::ui
