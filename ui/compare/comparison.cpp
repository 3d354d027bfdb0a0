#include "ui/compare/comparison.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/job/boxes.h"
#include "engine/sample/sample.h"
#include "ui/base/text.h"
#include "ui/plan/job_text.h"

namespace flcc::ui {
namespace {

/// Peaks of a result as a list; `numbers` say which.
io::PositionList listOf(const ResultEntry& entry, const std::vector<int>& numbers) {
    std::vector<match::Peak> peaks;
    for (const int number : numbers) {
        peaks.push_back(entry.job->peaks[static_cast<std::size_t>(number)]);
    }
    return io::peakList(peaks, peakContext(entry));
}

bool isRejected(const ResultEntry& entry, int number) {
    const match::Peak& peak = entry.job->peaks[static_cast<std::size_t>(number)];
    return entry.decisions.of(match::keyOf(peak)) == match::Decision::Reject;
}

const ResultEntry* resultWith(const Document& document, int id) {
    const auto found = std::ranges::find(document.results(), id, &ResultEntry::id);
    return found == document.results().end() ? nullptr : &*found;
}

match::Colour markColour(FoundIn found) {
    const QColor colour = colourOf(found);
    return {static_cast<std::uint8_t>(colour.red()), static_cast<std::uint8_t>(colour.green()),
            static_cast<std::uint8_t>(colour.blue())};
}

} // namespace

// Okabe and Ito's colours for all kinds of colour vision (https://jfly.uni-koeln.de/color).
QColor colourOf(FoundIn found) {
    switch (found) {
    case FoundIn::Both:
        return {0, 158, 115};
    case FoundIn::OnlyA:
        return {86, 180, 233};
    case FoundIn::OnlyB:
        break;
    }
    return {230, 120, 0};
}

QString textOf(FoundIn found) {
    switch (found) {
    case FoundIn::Both:
        return QCoreApplication::translate("Comparison", "both");
    case FoundIn::OnlyA:
        return QCoreApplication::translate("Comparison", "only here");
    case FoundIn::OnlyB:
        break;
    }
    return QCoreApplication::translate("Comparison", "only there");
}

std::optional<ComparedInputs> inputsOf(const Document& document, const Reference& reference,
                                       const job::Tolerance& tolerance) {
    const ResultEntry* shown = document.result();
    if (shown == nullptr) {
        return std::nullopt;
    }
    ComparedInputs inputs;
    inputs.tolerance = tolerance;
    inputs.nameA = shown->title;
    inputs.nameB = reference.name;
    inputs.smallestIsBest = shown->settings.operation.traits().best == method::Best::Smallest;
    for (const int number : document.peakChoice().shown) {
        if (!isRejected(*shown, number)) {
            inputs.peaks.push_back(number);
        }
    }
    inputs.a = listOf(*shown, inputs.peaks);
    if (reference.list) {
        inputs.b = *reference.list;
        job::takeTemplates(inputs.b, shown->job->templates.front()->extents(),
                           job::referencesOf(*shown->job));
        return inputs;
    }
    if (!reference.sample.empty()) {
        inputs.b.place = inputs.a.place;
        inputs.sample = reference.sample;
        return inputs;
    }
    const ResultEntry* other = resultWith(document, reference.result);
    if (other == nullptr || other->scene != shown->scene) {
        return std::nullopt;
    }
    std::vector<int> numbers;
    for (int number = 0; number < static_cast<int>(other->job->peaks.size()); ++number) {
        if (!isRejected(*other, number)) {
            numbers.push_back(number);
        }
    }
    inputs.b = listOf(*other, numbers);
    return inputs;
}

Comparison compare(ComparedInputs inputs) {
    if (!inputs.sample.empty()) {
        for (const base::Point& centre : sample::makeSample(inputs.sample).centres) {
            inputs.b.positions.push_back({.centre = centre});
        }
    }
    auto lists = std::make_shared<job::ComparedLists>(job::compared(
        std::move(inputs.a), std::move(inputs.b), inputs.tolerance, inputs.smallestIsBest));
    lists->nameA = inputs.nameA.toStdString();
    lists->nameB = inputs.nameB.toStdString();
    return {std::move(lists), std::move(inputs.peaks)};
}

Reference referenceFrom(const std::filesystem::path& file, const Document& document,
                        const io::ListUnknowns& unknowns) {
    io::ListPlace place;
    place.scene = document.scene().name.toStdString();
    place.extents = document.sceneExtents();
    place.geometry = document.geometry();
    place.unknowns = unknowns;
    io::PositionList list = job::readPositions(file, io::ListFormat::Auto, place);
    job::requireSameScene(list, place.extents, file.string());
    job::requireSameSpacing(list, place.geometry, file.string());
    return {.name = pathText(file.filename()), .list = std::move(list)};
}

ComparedView viewOf(const Comparison& comparison, const Document& document) {
    ComparedView view;
    const match::ListComparison& found = comparison.lists->comparison;
    for (const match::MatchedPair& pair : found.pairs) {
        view.peaks.emplace(comparison.peaks[static_cast<std::size_t>(pair.a)],
                           markColour(FoundIn::Both));
    }
    for (const int a : found.onlyA) {
        view.peaks.emplace(comparison.peaks[static_cast<std::size_t>(a)],
                           markColour(FoundIn::OnlyA));
    }
    const ResultEntry* shown = document.result();
    for (const int b : found.onlyB) {
        const io::ListedPosition& position =
            comparison.lists->b.positions[static_cast<std::size_t>(b)];
        viz::PeakMark mark;
        mark.centre = position.centre;
        mark.score = position.score.value_or(0);
        mark.templ = position.box.x > 0 || shown == nullptr
                         ? position.box
                         : shown->job->templates.front()->extents();
        mark.shaded = false;
        mark.colour = markColour(FoundIn::OnlyB);
        view.others.push_back(mark);
    }
    return view;
}

void addMap(ComparedView& view, const Document& document, const Reference& reference) {
    const ResultEntry* other =
        reference.isResult() ? resultWith(document, reference.result) : nullptr;
    if (other != nullptr && other->job->map) {
        view.map = other->job->map;
        view.mapTempl = other->job->templates.front()->extents();
        view.mapCorner = other->job->mapCorner;
    }
}

} // namespace flcc::ui
