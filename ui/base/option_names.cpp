#include "ui/base/option_names.h"

#include <QCoreApplication>
#include <QHash>
#include <QRegularExpression>

#include "engine/base/error.h"
#include "engine/method/problem.h"
#include "ui/base/text.h"

namespace flcc::ui {
namespace {

using method::WindowStatistics;

QString label(const char* text) {
    return QCoreApplication::translate("flcc::ui::MatchPanel", text);
}

QString word(method::WindowStatistics statistics) { return toQString(method::name(statistics)); }

/// An option's control, and the control's words for its values.
struct Control {
    QString label;
    QHash<QString, QString> values{};
};

const QHash<QString, Control>& controls() {
    static const QHash<QString, Control> all{
        {QStringLiteral("memory"), {label("Memory limit")}},
        {QStringLiteral("threads"), {label("Threads")}},
        {QStringLiteral("tile"), {label("Tile")}},
        {QStringLiteral("transforms"),
         {label("Transforms"),
          {{QStringLiteral("own"), label("Own")},
           {QStringLiteral("fftw"), QStringLiteral("FFTW")}}}},
        {QStringLiteral("method"), {label("Method")}},
        {QStringLiteral("promise"), {label("Promise")}},
        {QStringLiteral("precision"), {label("Precision")}},
        {QStringLiteral("region"), {label("Region")}},
        {QStringLiteral("stream"), {label("Slices as a stream")}},
        {QStringLiteral("min-overlap"), {label("Least overlap")}},
        {QStringLiteral("partial-peaks"), {label("PARTIAL peaks too")}},
        {QStringLiteral("max-peaks"), {label("Most peaks")}},
        {QStringLiteral("operation"), {label("Operation")}},
        {QStringLiteral("min-score"), {label("Threshold")}},
        {QStringLiteral("max-score"), {label("Threshold")}},
        {QStringLiteral("false-positives"), {label("False positives")}},
        {QStringLiteral("zscore"), {label("Deviations")}},
        {QStringLiteral("null"), {label("Null template")}},
        {QStringLiteral("min-distance"), {label("Distance")}},
        {QStringLiteral("max-overlap"), {label("Largest overlap")}},
        {QStringLiteral("template"), {label("Template")}},
        {QStringLiteral("crop"), {label("Cut template")}},
        {QStringLiteral("scene"), {label("Add scenes")}},
        {QStringLiteral("mask"), {label("Mask")}},
        {QStringLiteral("scene-mask"), {label("Scene mask")}},
        {QStringLiteral("orientation"),
         {label("Turn pictures as their files say"), {{QStringLiteral("stored"), label("off")}}}},
        {QStringLiteral("image"), {label("Image")}},
        {QStringLiteral("spacing"),
         {label("Set spacing"), {{QStringLiteral("resolution"), label("Resolution of the file")}}}},
        {QStringLiteral("resample"), {label("Resample the template")}},
        {QStringLiteral("ignore-directions"), {label("Keep its axes as stored")}},
        {QStringLiteral("invert"), {label("Invert the contrast")}},
        {QStringLiteral("recompute"), {label("Recompute in double")}},
        {QStringLiteral("binning"), {label("Binning")}},
        {QStringLiteral("unbinned-pixel"), {label("Pixel of the tilt series (Å)")}},
        {QStringLiteral("unbinned-size"), {label("Unbinned size")}},
        {QStringLiteral("binned-by"), {label("Binned by")}},
        {QStringLiteral("rotations"), {label("Rotations")}},
        {QStringLiteral("scales"), {label("Scales")}},
        {QStringLiteral("symmetry"), {label("Symmetry")}},
        {QStringLiteral("mirror"), {label("Mirrored templates too")}},
        {QStringLiteral("refine"), {label("Refine poses of peaks")}},
        {QStringLiteral("resume"), {label("Progress")}},
        {QStringLiteral("handedness"), {label("Compare with the other hand")}},
        {QStringLiteral("search-statistics"), {label("Statistics of the search")}},
        {QStringLiteral("band"), {label("Band")}},
        {QStringLiteral("whiten"), {label("Whiten by the scene")}},
        {QStringLiteral("wedge"), {label("Wedge")}},
        {QStringLiteral("ctf"), {label("CTF")}},
        {QStringLiteral("polarity"),
         {label("Polarity"),
          {{QStringLiteral("bright"), label("As the template")},
           {QStringLiteral("dark"), label("Other sign")},
           {QStringLiteral("both"), label("Both signs")}}}},
        {QStringLiteral("search"), {label("Search")}},
        {QStringLiteral("yes"), {label("More than 10000 orientations")}},
        {QStringLiteral("audit"), {label("Self-audit")}},
        {QStringLiteral("planning"), {label("Planning")}},
        {QStringLiteral("time-again"), {label("Time again")}},
        {QStringLiteral("plan"), {label("Replay")}},
        {QStringLiteral("device"),
         {label("Device"),
          {{QStringLiteral("auto"), label("Auto")},
           {QStringLiteral("cpu"), QStringLiteral("CPU")},
           {QStringLiteral("cuda"), QStringLiteral("CUDA")}}}},
        {QStringLiteral("extent"),
         {label("Placements"),
          {{QStringLiteral("valid"), label("Inside the scene")},
           {QStringLiteral("same"), label("Middle in the scene")},
           {QStringLiteral("full"), label("All that touch it")}}}},
        {QStringLiteral("outside"),
         {label("Outside"),
          {{QStringLiteral("zero"), label("Zero")},
           {QStringLiteral("eibl"), label("Eibl")},
           {QStringLiteral("overlap"), label("Overlap only")}}}},
        {QStringLiteral("statistics"),
         {label("Sums"),
          {{word(WindowStatistics::Auto), label("Auto")},
           {word(WindowStatistics::Box), label("Window sums")},
           {word(WindowStatistics::Fourier), label("Correlations")}}}}};
    return all;
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
        const auto control = controls().find(match.captured(1));
        if (control == controls().end()) {
            continue;
        }
        const QString next = match.captured(2).trimmed();
        const QString value = control->values.value(next);
        result += sentence.mid(from, match.capturedStart() - from) +
                  QStringLiteral("\"%1\"").arg(control->label);
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
    const auto control = controls().find(toQString(option));
    if (control == controls().end()) {
        return QStringLiteral("--") + toQString(option) +
               (word.empty() ? QString() : QStringLiteral(" ") + toQString(word));
    }
    const QString value = control->values.value(toQString(word));
    return QStringLiteral("\"%1\"").arg(control->label) +
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
