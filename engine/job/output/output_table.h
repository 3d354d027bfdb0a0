#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "engine/job/job.h"

namespace flcc::job::detail {

/// An output of a match: one option that names one file, or files that are named after it.
struct OutputRow {
    std::string_view option; ///< "--map"
    std::filesystem::path& (*of)(MatchOutputs&);
    bool ofMap = false;    ///< made from the map of best scores; templates of several extents and
                           ///< searches without scores have none
    bool eachScene = true; ///< of several scenes each has its own (numberedOutput()); else the
                           ///< first one alone
    bool ofPlan = false;   ///< written by a plan, too
    /// The files that `file` stands for in a job of so many templates; null: itself.
    std::vector<std::filesystem::path> (*files)(const std::filesystem::path& file,
                                                std::size_t templates) = nullptr;

    [[nodiscard]] const std::filesystem::path& in(const MatchOutputs& outputs) const {
        return of(const_cast<MatchOutputs&>(outputs));
    }
};

/// The name with a word before its extension: "map-WORD.nii.gz".
[[nodiscard]] std::filesystem::path withWord(const std::filesystem::path& file,
                                             const std::string& word);

/// Every file that a match can write but the folder of `--resume`, the report first.
[[nodiscard]] std::span<const OutputRow> outputTable();

} // namespace flcc::job::detail
