#pragma once

#include <QColor>
#include <QString>

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "engine/job/difference.h"
#include "ui/document/document.h"
#include "ui/views/result_view.h"

namespace flcc::ui {

/// What the shown result is compared with.
struct Reference {
    QString name;
    int result = 0;                         ///< ResultEntry::id; 0: another kind
    std::optional<io::PositionList> list{}; ///< of a file
    std::string sample{};                   ///< the true positions of a built-in sample

    [[nodiscard]] bool isResult() const { return !list && sample.empty(); }
};

/// Where a position was found.
enum class FoundIn { Both, OnlyA, OnlyB };
/// Colours that people with any colour vision tell apart, on light and dark ground.
[[nodiscard]] QColor colourOf(FoundIn found);
/// "both", "only here" (the shown result), "only there".
[[nodiscard]] QString textOf(FoundIn found);

/// A comparison with what the window shows of it.
struct Comparison {
    std::shared_ptr<const job::ComparedLists> lists;
    std::vector<int> peaks; ///< of the positions of A: numbers in the shown result's list
};

/// The two lists of a comparison, before they are paired.
struct ComparedInputs {
    io::PositionList a;
    std::vector<int> peaks;
    io::PositionList b;
    std::string sample{}; ///< makes `b`, which takes a while
    job::Tolerance tolerance;
    QString nameA;
    QString nameB;
    bool smallestIsBest = false;
};

/// The lists to compare, or nothing if a result is not there.
[[nodiscard]] std::optional<ComparedInputs>
inputsOf(const Document& document, const Reference& reference, const job::Tolerance& tolerance);
/// Pairs them. **Errors**: as job::compared().
[[nodiscard]] Comparison compare(ComparedInputs inputs);

/// Reads a list of positions in the shown scene. **Errors**: as job::readPositions(); Problem for a
/// list of another scene.
[[nodiscard]] Reference referenceFrom(const std::filesystem::path& file, const Document& document,
                                      const io::ListUnknowns& unknowns);

/// Colours and marks of a comparison. Positions that the shown result lacks are boxes of their own
/// extents, or of those of the result's first template.
[[nodiscard]] ComparedView viewOf(const Comparison& comparison, const Document& document);
/// Adds the map of the other result, if it has one.
void addMap(ComparedView& view, const Document& document, const Reference& reference);

} // namespace flcc::ui
