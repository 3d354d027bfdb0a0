#include "engine/job/kinds/report_comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <set>

#include "engine/job/report/text.h"

namespace flcc::job::detail {

using json::Json;
using Verdict = Replay::Verdict;

namespace {

/// Values that two runs of one job need not have in common.
struct Unchecked {
    std::string_view name; ///< also the sentence that names them
    /// Paths without indices, with all below them; "*_ms": any key that ends so.
    std::vector<std::string_view> paths;
};

const std::vector<Unchecked>& uncheckedTable() {
    static const std::vector<Unchecked> table{
        {"times (keys in _ms, stage_shares, device_times, per_second, times, known)",
         {"*_ms", "*stage_shares", "*device_times", "*per_second", "audit.ms", "times", "known"}},
        {"memory (keys in _bytes, memory_limit)", {"*_bytes", "*memory_limit"}},
        {"the host (environment, thread_limit)", {"environment", "problem.thread_limit"}},
        {"the plan (candidates, planning, transforms, decompositions, critical_template_size, "
         "batch, searches)",
         {"candidates", "problem.planning", "problem.transforms", "decompositions",
          "critical_template_size", "poses.batch", "poses.searches"}},
        {"what an earlier search had kept (resumed_members)", {"poses.resumed_members"}},
        {"what scenes or frames shared (stream)", {"stream"}},
        {"names of written files (stack.path, average.path)",
         {"stack.path", "average.path", "averages[].path"}},
        {"notes on files (notes)", {"notes"}},
        {"what a person decided (peaks.decision)", {"peaks[].decision"}},
        {"the question itself (job), which was asked again", {"job"}}};
    return table;
}

constexpr std::string_view kOfHost = "the host (environment, thread_limit)";
constexpr std::string_view kOfPlan =
    "the plan (candidates, planning, transforms, decompositions, critical_template_size, batch, "
    "searches)";
constexpr std::string_view kSearches = "the choice of the search (poses.search)";
constexpr std::string_view kAudits = "audits that a time decided (audit)";

bool isBelow(std::string_view path, std::string_view top) {
    return path == top ||
           (path.starts_with(top) && (path[top.size()] == '.' || path[top.size()] == '['));
}

/// Whether one of the keys of the path ends in `tail`.
bool hasKey(std::string_view path, std::string_view tail) {
    while (!path.empty()) {
        const std::size_t end = std::min(path.find('.'), path.size());
        std::string_view key = path.substr(0, end);
        key = key.substr(0, key.find('['));
        if (key.ends_with(tail)) {
            return true;
        }
        path.remove_prefix(std::min(path.size(), end + 1));
    }
    return false;
}

/// A job with several extents of templates states in each group what others state once.
std::string_view withoutGroup(std::string_view path) {
    constexpr std::string_view kGroup = "groups[].";
    return path.starts_with(kGroup) ? path.substr(kGroup.size()) : path;
}

std::string_view lastKey(std::string_view path) {
    path = path.substr(path.rfind('.') + 1);
    return path.substr(0, path.find('['));
}

bool isOneOf(std::string_view key, const std::vector<std::string_view>& keys) {
    return std::ranges::find(keys, key) != keys.end();
}

/// Values on the scale of the scores, which their bounds hold for.
bool isScore(std::string_view path) {
    static const std::vector<std::string_view> keys{"score", "rival", "min", "max",
                                                    "mean",  "std",   "best"};
    return isOneOf(lastKey(path), keys) && !path.starts_with("threshold");
}

/// What a run states of its own errors. Other processors may state more or less.
bool isEstimate(std::string_view path) {
    static const std::vector<std::string_view> keys{"bound",
                                                    "bound_median",
                                                    "bound_largest",
                                                    "bound_largest_lowconf",
                                                    "recomputed",
                                                    "bound_largest_relative",
                                                    "rounding",
                                                    "relative_bound_largest",
                                                    "repeated",
                                                    "largest_rounding",
                                                    "recomputed_share",
                                                    "largest_deviation",
                                                    "largest_over_bound",
                                                    "median_over_bound"};
    return isOneOf(lastKey(path), keys);
}

double numberAt(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_number() ? found->get<double>() : 0;
}

/// The bound on the error of a peak, or of any score of a map; 0 where none is stated.
double boundIn(const Json& object) {
    return std::max({numberAt(object, "bound"), numberAt(object, "bound_largest"),
                     numberAt(object, "bound_largest_lowconf")});
}

/// How far what is made of the scores may be off, as a part of it: a false positive at z deviations
/// has z times the part of the deviation that scores are off by.
double slackOf(const TwoReports& reports, double bound) {
    constexpr double kLeast = 1e-9;
    constexpr double kMost = 1e-2;
    constexpr double kDeviations = 100;
    if (reports.sameMap) {
        return kLeast;
    }
    const Json map = reports.now.value("map", Json());
    const double deviation = map.is_object() ? numberAt(map, "std") : 0;
    return std::clamp(kDeviations * bound / (deviation > 0 ? deviation : 1), kLeast, kMost);
}

std::string withoutDigits(const std::string& text) {
    std::string kept;
    std::ranges::copy_if(text, std::back_inserter(kept), [](char c) {
        return std::string_view("0123456789.e-+").find(c) == std::string_view::npos;
    });
    return kept;
}

/// Texts that name something, in which every digit counts.
bool isName(std::string_view path) {
    static const std::vector<std::string_view> keys{"path", "source", "a", "b", "device"};
    return path == "command_line" || isBelow(path, "chosen") || isOneOf(lastKey(path), keys);
}

class Comparison {
  public:
    explicit Comparison(const TwoReports& reports)
        : m_reports(reports), m_names(reports.before),
          m_bound(largestBound(reports.before) + largestBound(reports.now)),
          m_slack(slackOf(reports, m_bound)), m_moved(reports.moved) {
        std::ranges::sort(m_moved, std::ranges::greater(), // a name may begin with another
                          [](const auto& one) { return one.second.size(); });
        const Json problem = reports.now.value("problem", Json::object());
        for (const Json& length : problem.value("spacing", Json::array())) {
            m_edge = std::max(m_edge, length.is_number() ? std::abs(length.get<double>()) : 0);
        }
    }

    ComparedReports run() {
        compare(m_reports.before, m_reports.now, "", "", m_bound);
        ComparedReports done{.found = {m_verdict, m_first}, .map = m_map, .unchecked = {}};
        if (m_verdict == Verdict::Identical) {
            done.found.sentence = std::to_string(m_same) + " values are the same";
        } else if (m_others > 0) {
            done.found.sentence += ", and " + std::to_string(m_others) +
                                   (m_others == 1 ? " other value" : " other values") +
                                   (m_verdict == Verdict::Different ? " differ" : " differ so");
        }
        for (const Unchecked& each : uncheckedTable()) {
            name(done, each.name);
        }
        name(done, kAudits);
        name(done, kSearches);
        if (!m_lacking.empty()) {
            done.unchecked.push_back("what the report does not state (" + m_lacking + ")");
        }
        return done;
    }

  private:
    void name(ComparedReports& done, std::string_view name) const {
        if (m_unchecked.contains(name)) {
            done.unchecked.emplace_back(name);
        }
    }

    /// `plain`: the path without indices; `full`: with them.
    void compare(const Json& before, const Json& now, const std::string& plain,
                 const std::string& full, double bound) {
        if (const std::string_view unchecked = m_names.of(plain);
            !unchecked.empty() && !(before.is_null() && now.is_null())) {
            m_unchecked.insert(unchecked);
        } else if (plain == "map_sha256" && before.is_string() && now.is_string()) {
            return; // both maps are compared (Again::mapOf)
        } else if (before.is_object() && now.is_object()) {
            compareObjects(before, now, plain, full, bound);
        } else if (before.is_array() && now.is_array()) {
            for (std::size_t i = 0; i < std::max(before.size(), now.size()); ++i) {
                const std::string at = full + "[" + std::to_string(i) + "]";
                if (i >= before.size() || i >= now.size()) {
                    const bool isNew = i >= before.size();
                    differ(at + (isNew ? " is new: " : " is missing: ") +
                               textOf(isNew ? now[i] : before[i]),
                           Verdict::Different, plain);
                } else {
                    compare(before[i], now[i], plain + "[]", at, bound);
                }
            }
        } else {
            compareLeaves(before, now, plain, full, bound);
        }
    }

    void compareObjects(const Json& before, const Json& now, const std::string& plain,
                        const std::string& full, double bound) {
        const double own = boundIn(before) + boundIn(now);
        const std::string dot = plain.empty() ? "" : ".";
        for (const auto& [key, value] : now.items()) {
            const auto found = before.find(key);
            if (found != before.end()) {
                compare(*found, value, plain + dot + key, full + dot + key, own > 0 ? own : bound);
            } else if (m_names.of(plain + dot + key).empty()) {
                m_lacking += (m_lacking.empty() ? "" : ", ") + full + dot + key;
            }
        }
        for (const auto& [key, value] : before.items()) {
            if (!now.contains(key) && m_names.of(plain + dot + key).empty()) {
                differ(full + dot + key + " is of no run: " + textOf(value), Verdict::Different,
                       plain + dot + key);
            }
        }
    }

    void compareLeaves(const Json& before, const Json& now, const std::string& plain,
                       const std::string& full, double bound) {
        if (before == now || (before.is_string() && now.is_string() &&
                              isSameText(before.get<std::string>(), now.get<std::string>(),
                                         isName(withoutGroup(plain))))) {
            ++m_same;
            return;
        }
        Verdict verdict = Verdict::Different;
        std::string limit;
        if (before.is_number() && now.is_number()) {
            const double a = before.get<double>();
            const double b = now.get<double>();
            const double most = tolerance(a, b, now.is_number_integer(), plain, bound);
            limit = most > 0 ? ", and the bound is " + shortest(most) : "";
            verdict = std::abs(a - b) <= most ? Verdict::WithinBounds : Verdict::Different;
        }
        differ(full + " was " + textOf(before) + "; now it is " + textOf(now) + limit, verdict,
               plain);
    }

    /// How far a number may be off.
    [[nodiscard]] double tolerance(double a, double b, bool counts, const std::string& plain,
                                   double bound) const {
        if (m_reports.isExact) {
            return 0;
        }
        const double size = std::max(std::abs(a), std::abs(b));
        const std::string_view path = withoutGroup(plain);
        if (isEstimate(path)) {
            return m_reports.sameMap ? (counts ? 0 : m_slack * size) : size / 2;
        }
        if (counts) {
            return !m_reports.sameMap && hasKey(path, "status") ? m_slack * size : 0;
        }
        if (isScore(path)) {
            return bound;
        }
        const std::string_view key = lastKey(path);
        if (key == "centre" || key == "shift" || key == "a" || key == "b") {
            return m_slack;
        }
        return key == "world" ? m_slack * m_edge : m_slack * size;
    }

    /// Sentences that hold numbers of the run differ where these do.
    [[nodiscard]] bool isSameText(const std::string& before, std::string now, bool isName) const {
        for (const auto& [stated, found] : m_moved) {
            for (std::size_t at = now.find(found); at != std::string::npos;
                 at = now.find(found, at + stated.size())) {
                now.replace(at, found.size(), stated);
            }
        }
        const bool mayDiffer = !isName && !m_reports.sameMap && !m_reports.isExact;
        return before == now || (mayDiffer && before.find(' ') != std::string::npos &&
                                 withoutDigits(before) == withoutDigits(now));
    }

    static std::string textOf(const Json& value) {
        constexpr std::size_t kMost = 120;
        std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
        return text.size() > kMost ? text.substr(0, kMost) + "..." : text;
    }

    void differ(std::string sentence, Verdict verdict, std::string_view plain) {
        if (isBelow(withoutGroup(plain), "map")) {
            m_map.verdict = std::max(m_map.verdict, verdict);
        }
        if (verdict > m_verdict) {
            m_verdict = verdict;
            m_first = std::move(sentence);
            m_others = 0;
        } else if (verdict == m_verdict) {
            ++m_others;
        }
    }

    const TwoReports& m_reports;
    UncheckedNames m_names;
    double m_bound;
    double m_slack;
    std::vector<std::pair<std::string, std::string>> m_moved;
    double m_edge = 0;
    Verdict m_verdict = Verdict::Identical;
    std::string m_first;
    std::int64_t m_others = 0;
    std::int64_t m_same = 0;
    Found m_map;
    std::string m_lacking;
    std::set<std::string_view> m_unchecked;
};

bool isMixed(const Json& frames) {
    std::set<Json> verdicts;
    for (const Json& frame : frames.is_array() ? frames : Json::array()) {
        verdicts.insert(frame.is_object() ? frame.value("audit", Json()) : Json());
    }
    return verdicts.size() > 1;
}

} // namespace

double largestBound(const Json& report) {
    double bound = 0;
    if (const auto map = report.find("map"); map != report.end() && map->is_object()) {
        bound = boundIn(*map);
    }
    for (const Json& peak : report.value("peaks", Json::array())) {
        bound = std::max(bound, peak.is_object() ? boundIn(peak) : 0);
    }
    return bound;
}

std::string searchOf(const Json& report) {
    const Json poses = report.value("poses", Json());
    const Json rows = poses.is_object() ? poses.value("searches", Json::array()) : Json::array();
    for (const Json& row : rows) {
        if (row.is_object() && row.value("verdict", Json()) == "chosen") {
            return row.value("search", std::string());
        }
    }
    return {};
}

UncheckedNames::UncheckedNames(const Json& before)
    : m_poses(before.value("poses", Json()).is_object()), m_planned(before.contains("chosen")),
      m_choseSearch(false), m_mixed(isMixed(before.value("frames", Json()))) {
    const Json poses = before.value("poses", Json());
    m_choseSearch = m_poses && poses.value("search", Json()) != searchOf(before);
    const Json audit = before.value("audit", Json());
    m_unaudited = audit.is_object() && audit.value("verdict", Json()) == "off";
}

std::string_view UncheckedNames::of(const std::string& path) const {
    const auto [found, isNew] = m_found.try_emplace(path);
    if (isNew) {
        found->second = find(withoutGroup(path));
    }
    return found->second;
}

std::string_view UncheckedNames::find(std::string_view path) const {
    for (const Unchecked& each : uncheckedTable()) {
        for (const std::string_view at : each.paths) {
            if (at.front() == '*' ? hasKey(path, at.substr(1)) : isBelow(path, at)) {
                // The chosen row is compared with that of the candidates.
                return isBelow(path, "chosen") ? std::string_view() : each.name;
            }
        }
    }
    if (m_poses && path == "problem.templates") { // as many members as memory allows
        return kOfPlan;
    }
    if (m_choseSearch && path == "poses.search") {
        return kSearches;
    }
    if (!m_planned && path == "run.threads") {
        return kOfHost;
    }
    return (m_unaudited && path == "audit.reason") || (m_mixed && path == "frames[].audit")
               ? kAudits
               : std::string_view();
}

ComparedReports compareReports(const TwoReports& reports) { return Comparison(reports).run(); }

} // namespace flcc::job::detail
