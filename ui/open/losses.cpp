#include "ui/open/losses.h"

#include <QStringList>

#include <algorithm>

#include "ui/document/document.h"

namespace flcc::ui {
namespace {

QStringList counted(std::size_t number, const QString& one, const QString& several) {
    return number == 0   ? QStringList()
           : number == 1 ? QStringList(one)
                         : QStringList(several.arg(number));
}

QString joined(QStringList parts) {
    const QString last = parts.isEmpty() ? QString() : parts.takeLast();
    return parts.isEmpty() ? last
                           : Document::tr("%1 and %2").arg(parts.join(QStringLiteral(", ")), last);
}

/// "3 results with 12 decisions" of the results for which `goes` is true.
QStringList resultsText(const Document& document, const auto& goes) {
    std::size_t results = 0;
    std::size_t decisions = 0;
    for (const ResultEntry& each : document.results()) {
        if (goes(each)) {
            ++results;
            decisions += each.decisions.all().size();
        }
    }
    QStringList parts = counted(results, Document::tr("the result"), Document::tr("%1 results"));
    if (decisions > 0) {
        parts.back() +=
            Document::tr(" with %1")
                .arg(counted(decisions, Document::tr("one decision"), Document::tr("%1 decisions"))
                         .front());
    }
    return parts;
}

} // namespace

QString lossText(const Document& document) {
    const auto made =
        static_cast<std::size_t>(std::ranges::count_if(document.scenes(), &SceneEntry::made));
    return joined(
        counted(made, Document::tr("the filtered scene"), Document::tr("%1 filtered scenes")) +
        counted(document.templates().size(), Document::tr("the template"),
                Document::tr("%1 templates")) +
        counted(document.masks().size() + (document.sceneMask() ? 1 : 0), Document::tr("the mask"),
                Document::tr("%1 masks")) +
        resultsText(document, [](const ResultEntry&) { return true; }));
}

QString lossText(const Document& document, int index) {
    QStringList parts =
        resultsText(document, [index](const ResultEntry& each) { return each.scene == index; });
    if (index == 0) {
        const auto cut = static_cast<std::size_t>(std::ranges::count_if(
            document.templates(), [](const TemplateEntry& each) { return each.crop.has_value(); }));
        parts += counted(cut, Document::tr("the template cut from it"),
                         Document::tr("%1 templates cut from it"));
        parts += document.box() ? QStringList(Document::tr("the template box")) : QStringList();
    }
    return joined(parts);
}

} // namespace flcc::ui
