#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/base/stopwatch.h"
#include "engine/job/input/inputs.h"
#include "engine/match/search_statistics.h"
#include "engine/method/bank.h"
#include "engine/method/candidate.h"

namespace flcc::job::detail {

/// The finished part of a search over poses.
struct SearchPart {
    std::int64_t members = 0; ///< that are searched: the first ones
    method::Candidate candidate;
    method::MapFacts facts; ///< of these members, without counts of statuses
};

/// A digest of all that decides the scores of a search and their bits, except the candidate: the
/// voxels that count, the poses, the problem, what the job asks of a plan, this machine and the
/// version of the program. Files may be renamed and limits, lists of peaks and outputs changed.
/// **Cost**: reads all voxels.
[[nodiscard]] std::string searchIdentity(const Job& job, const Inputs& inputs,
                                         const std::vector<int>& group,
                                         const method::Problem& problem);

/// The file in a folder that keeps the finished part of one search, so that another run goes on
/// from it and ends with the same bytes. The name is made of the identity: a folder may keep many
/// searches, and a search never takes the part of another one.
class KeptSearch {
  public:
    /// Looks for the file of a search over so many members; makes nothing.
    /// **Errors**: Input for a file that cannot be read or is damaged.
    KeptSearch(const std::filesystem::path& folder, const std::string& identity,
               std::int64_t members);

    [[nodiscard]] const std::filesystem::path& file() const { return m_file; }
    /// Other searches that the folder keeps.
    [[nodiscard]] std::int64_t others() const { return m_others; }
    [[nodiscard]] const std::optional<SearchPart>& part() const { return m_part; }

    /// Makes the folder, and looks whether files can be written there. **Errors**: Output.
    void requireWritable() const;
    /// Reads the scores of part(), and its sums where `best` wants them, and sets `likeness` unless
    /// it is null. **Shapes**: those of the search that was kept. **Errors**: Input for a damaged
    /// file.
    void load(const method::BankView& best, match::Likeness* likeness) const;
    /// Replaces the file. `likeness` may be null. **Errors**: Output.
    void keep(const SearchPart& part, const method::BankView& best, match::Likeness* likeness);
    /// Whether the last keep() is so long ago that another one costs little.
    [[nodiscard]] bool isDue() const;

  private:
    /// Every score read names a member that was searched. **Errors**: Input.
    void requireMembers(const method::BankView& best) const;

    std::filesystem::path m_file;
    std::string m_identity;
    std::int64_t m_others = 0;
    std::optional<SearchPart> m_part;
    std::uint64_t m_scores = 0; ///< where they begin in the file, bytes
    base::Stopwatch m_since;
    double m_keepMs = 0;
};

} // namespace flcc::job::detail
