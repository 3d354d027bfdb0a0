#include "ui/option_names.h"

#include <QCoreApplication>
#include <QHash>
#include <QRegularExpression>

#include "ui/text.h"

namespace flcc::ui {
namespace {

QString say(const char* text) { return QCoreApplication::translate("flcc::ui::MatchPanel", text); }

/// An option's control, and the control's words for its values.
struct Control {
    QString label;
    QHash<QString, QString> values{};
};

const QHash<QString, Control>& controls() {
    static const QHash<QString, Control> all{
        {QStringLiteral("memory"), {say("Memory limit")}},
        {QStringLiteral("threads"), {say("Threads")}},
        {QStringLiteral("tile"), {say("Tile")}},
        {QStringLiteral("method"), {say("Method")}},
        {QStringLiteral("promise"), {say("Promise")}},
        {QStringLiteral("precision"), {say("Precision")}},
        {QStringLiteral("region"), {say("Region")}},
        {QStringLiteral("min-overlap"), {say("Least overlap")}},
        {QStringLiteral("partial-peaks"), {say("PARTIAL peaks too")}},
        {QStringLiteral("max-peaks"), {say("Most peaks")}},
        {QStringLiteral("min-score"), {say("Threshold")}},
        {QStringLiteral("min-distance"), {say("Distance")}},
        {QStringLiteral("template"), {say("Template")}},
        {QStringLiteral("crop"), {say("Cut template")}},
        {QStringLiteral("scene"), {say("Add scenes")}},
        {QStringLiteral("mask"), {say("Mask")}},
        {QStringLiteral("scene-mask"), {say("Scene mask")}},
        {QStringLiteral("invert"), {say("Invert the contrast")}},
        {QStringLiteral("recompute"), {say("Recompute in double")}},
        {QStringLiteral("audit"), {say("Self-audit")}},
        {QStringLiteral("planning"), {say("Planning")}},
        {QStringLiteral("plan"), {say("Replay")}},
        {QStringLiteral("device"),
         {say("Device"),
          {{QStringLiteral("auto"), say("Auto")},
           {QStringLiteral("cpu"), QStringLiteral("CPU")},
           {QStringLiteral("cuda"), QStringLiteral("CUDA")}}}},
        {QStringLiteral("extent"),
         {say("Placements"),
          {{QStringLiteral("valid"), say("Inside the scene")},
           {QStringLiteral("same"), say("Middle in the scene")},
           {QStringLiteral("full"), say("All that touch it")}}}},
        {QStringLiteral("outside"),
         {say("Outside"),
          {{QStringLiteral("zero"), say("Zero")},
           {QStringLiteral("eibl"), say("Eibl")},
           {QStringLiteral("overlap"), say("Overlap only")}}}},
        {QStringLiteral("statistics"),
         {say("Sums"),
          {{QStringLiteral("auto"), say("Auto")},
           {QStringLiteral("box"), say("Window sums")},
           {QStringLiteral("fourier"), say("Correlations")}}}}};
    return all;
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
        const QString word = match.captured(2).trimmed();
        const QString value = control->values.value(word);
        result += sentence.mid(from, match.capturedStart() - from) +
                  QStringLiteral("\"%1\"").arg(control->label);
        if (value.isEmpty()) {
            result += match.captured(2); // the next word of the sentence
        } else {
            result += QStringLiteral(" \"%1\"").arg(value);
        }
        from = match.capturedEnd();
    }
    return result + sentence.mid(from);
}

QString inWindowWords(std::string_view sentence) { return inWindowWords(toQString(sentence)); }

QString inWindowWords(const char* sentence) { return inWindowWords(std::string_view(sentence)); }

} // namespace flcc::ui
