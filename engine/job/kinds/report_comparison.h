#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/job/replay.h"
#include "engine/job/report/json_rows.h"

namespace flcc::job::detail {

/// What a comparison found; worse verdicts win.
struct Found {
    Replay::Verdict verdict = Replay::Verdict::Identical;
    std::string sentence;
};

/// Two reports of one job, of which the first may have been edited.
struct TwoReports {
    const json::Json& before;
    const json::Json& now;
    /// The map is the same bit for bit, so that what was made of it differs by its last digits at
    /// most.
    bool sameMap = false;
    bool isExact = false; ///< no value has a bound
    /// Paths of the first report with those that the second has in their place.
    std::vector<std::pair<std::string, std::string>> moved{};
};

struct ComparedReports {
    Found found;                        ///< of all values; names the first that differs
    Found map;                          ///< of the statistics of the map alone
    std::vector<std::string> unchecked; ///< what is not comparable, "times (...)"; without repeats
};

/// Compares every value of both reports, whatever its key: numbers within the bounds that their
/// peak or map states, places within what these bounds move them by, all else exactly. What two
/// runs of one job need not have in common is not compared, but named (UncheckedNames).
[[nodiscard]] ComparedReports compareReports(const TwoReports& reports);

/// The largest bound that a report states on an error of its scores; 0 if it states none.
[[nodiscard]] double largestBound(const json::Json& report);

/// The way to search over poses that a report's run took; empty without such a search.
[[nodiscard]] std::string searchOf(const json::Json& report);

/// What of a report is not compared.
class UncheckedNames {
  public:
    explicit UncheckedNames(const json::Json& before);
    /// The name under which ComparedReports::unchecked has the value at `path`, such as
    /// "run.execute_ms.min"; empty for a value that is compared. Indices are left out:
    /// "peaks[].score".
    [[nodiscard]] std::string_view of(const std::string& path) const;

  private:
    [[nodiscard]] std::string_view find(std::string_view path) const;

    bool m_poses;
    bool m_planned;
    bool m_choseSearch; ///< another way than the job asks for
    bool m_unaudited;
    bool m_mixed; ///< some frames are audited
    mutable std::map<std::string, std::string_view, std::less<>> m_found;
};

} // namespace flcc::job::detail
