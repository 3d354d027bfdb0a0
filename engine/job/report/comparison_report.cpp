#include <algorithm>

#include "engine/job/difference.h"
#include "engine/job/report/json_rows.h"
#include "engine/job/report/text.h"

namespace flcc::job {

namespace {

using detail::fixed;
using detail::shortest;
using detail::json::Json;
using detail::json::orNull;

std::string lengthText(const Tolerance& tolerance, double length) {
    return fixed(length, 3) + " " + (tolerance.unit == "px" ? "voxels" : tolerance.unit);
}

std::string countText(std::size_t count, const char* what) {
    return std::to_string(count) + " " + what;
}

Json pointJson(const match::ThresholdPoint& point) {
    return {{"threshold", point.threshold},
            {"listed", point.listed},
            {"matched", point.matched},
            {"precision", point.precision},
            {"recall", point.recall},
            {"f1", point.f1},
            {"f4", point.f4}};
}

} // namespace

io::PositionList differenceList(const ComparedLists& lists) {
    io::PositionList all;
    all.place = lists.a.place;
    all.comments = {"A: " + lists.nameA, "B: " + lists.nameB,
                    "tolerance: " + toString(lists.tolerance) + "; distance in " +
                        (lists.tolerance.unit == "px" ? "voxels" : lists.tolerance.unit),
                    "cx cy cz: centre in A; of positions only in B that in B; in scene voxels; the "
                    "centre of voxel i lies on i"};
    all.columns = {{"rank"},         {"score"},        {"found"},        {"a"},       {"b"},
                   {"cx", "centre"}, {"cy", "centre"}, {"cz", "centre"}, {"distance"}};
    const auto add = [&](const io::ListedPosition& position, const char* found, int a, int b,
                         const std::string& distance) {
        const auto rank = [](int index) {
            return index < 0 ? std::string() : std::to_string(index + 1);
        };
        io::ListedPosition row = position;
        row.cells = {std::to_string(all.positions.size() + 1),
                     row.score ? shortest(*row.score) : "",
                     found,
                     rank(a),
                     rank(b),
                     shortest(row.centre[0]),
                     shortest(row.centre[1]),
                     shortest(row.centre[2]),
                     distance};
        all.positions.push_back(std::move(row));
    };
    const auto at = [](const io::PositionList& list, int index) -> const io::ListedPosition& {
        return list.positions[static_cast<std::size_t>(index)];
    };
    for (const match::MatchedPair& pair : lists.comparison.pairs) {
        add(at(lists.a, pair.a), "both", pair.a, pair.b, shortest(pair.distance));
    }
    for (const int a : lists.comparison.onlyA) {
        add(at(lists.a, a), "only A", a, -1, "");
    }
    for (const int b : lists.comparison.onlyB) {
        add(at(lists.b, b), "only B", -1, b, "");
    }
    return all;
}

std::string countsText(const ComparedLists& lists) {
    const match::ListComparison& result = lists.comparison;
    std::string text = countText(result.pairs.size(), "in both") + ", " +
                       countText(result.onlyA.size(), "only in A") + " (" + lists.nameA + "), " +
                       countText(result.onlyB.size(), "only in B") + " (" + lists.nameB +
                       "), within " + lengthText(lists.tolerance, lists.tolerance.distance) + "\n";
    text += "precision " + fixed(result.precision, 3) + ", recall " + fixed(result.recall, 3) +
            ", F1 " + fixed(result.f1, 3) + ", F4 " + fixed(result.f4, 3);
    if (result.best && result.best->matched > 0) {
        text +=
            "; best F1 " + fixed(result.best->f1, 3) + " at " + fixed(result.best->threshold, 4);
    }
    text += "\n";
    if (result.distances) {
        text += "distance: mean " + lengthText(lists.tolerance, result.distances->mean) +
                ", median " + lengthText(lists.tolerance, result.distances->median) + ", largest " +
                lengthText(lists.tolerance, result.distances->largest) + "\n";
    }
    for (const std::string& note : notesOf(lists)) {
        text += "note: " + note + "\n";
    }
    return text;
}

std::vector<std::vector<std::string>> speciesRows(const SpeciesTable& table) {
    std::vector<std::vector<std::string>> rows{{"species"}};
    rows[0].insert(rows[0].end(), table.templates.begin(), table.templates.end());
    rows[0].insert(rows[0].end(), {"missed", "precision", "recall", "F1", "F4"});
    const match::Confusion& found = table.confusion;
    for (std::size_t i = 0; i < found.counts.size(); ++i) {
        const bool nothing = i == table.species.size();
        std::vector<std::string>& row =
            rows.emplace_back(1, nothing ? "nothing" : table.species[i]);
        for (const std::int64_t count : found.counts[i]) {
            row.push_back(std::to_string(count));
        }
        if (nothing) {
            row.back() = "";
            row.resize(rows[0].size());
            continue;
        }
        const match::ThresholdPoint& rates = found.species[i];
        for (const double rate : {rates.precision, rates.recall, rates.f1, rates.f4}) {
            row.push_back(fixed(rate, 3));
        }
    }
    return rows;
}

std::string speciesScore(const SpeciesTable& table) {
    return "F4 " + fixed(table.confusion.f4, 3) + ", mean of " +
           countText(static_cast<std::size_t>(table.confusion.scored), "species");
}

std::string comparisonText(const ComparedLists& lists) {
    std::string text = countsText(lists);
    if (!lists.table) {
        return text;
    }
    const auto rows = speciesRows(*lists.table);
    std::vector<std::size_t> widths(rows[0].size(), 0);
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], row[i].size());
        }
    }
    for (const auto& row : rows) {
        std::string line = row[0] + std::string(widths[0] - row[0].size(), ' ');
        for (std::size_t i = 1; i < row.size(); ++i) {
            line += std::string(2 + widths[i] - row[i].size(), ' ') + row[i];
        }
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text + speciesScore(*lists.table) + "\n";
}

std::vector<std::string> notesOf(const ComparedLists& lists) {
    std::vector<std::string> notes;
    if (!lists.noTable.empty()) {
        notes.push_back(lists.noTable);
    }
    for (const auto& [list, name] :
         {std::pair(&lists.a, &lists.nameA), std::pair(&lists.b, &lists.nameB)}) {
        for (const std::string& note : list->notes) {
            notes.push_back(*name + ": " + note);
        }
    }
    return notes;
}

std::string comparisonJson(const ComparedLists& lists) {
    return detail::json::fileText(detail::json::toJson(lists));
}

} // namespace flcc::job

namespace flcc::job::detail::json {

namespace {

Json toJson(const SpeciesTable& table) {
    Json rows = Json::array();
    const match::Confusion& found = table.confusion;
    for (std::size_t i = 0; i < table.species.size(); ++i) {
        const match::ThresholdPoint& rates = found.species[i];
        std::vector<std::int64_t> counts = found.counts[i];
        const std::int64_t missed = counts.back();
        counts.pop_back();
        rows.push_back({{"species", table.species[i]},
                        {"counts", counts},
                        {"missed", missed},
                        {"present", found.present[i]},
                        {"listed", rates.listed},
                        {"matched", rates.matched},
                        {"precision", rates.precision},
                        {"recall", rates.recall},
                        {"f1", rates.f1},
                        {"f4", rates.f4}});
    }
    std::vector<std::int64_t> nothing = found.counts.back();
    nothing.pop_back();
    return {{"templates", table.templates}, {"rows", rows}, {"nothing", nothing}, {"f4", found.f4}};
}

} // namespace

Json toJson(const ComparedLists& lists) {
    const match::ListComparison& result = lists.comparison;
    Json pairs = Json::array();
    for (const match::MatchedPair& pair : result.pairs) {
        pairs.push_back({{"a", pair.a}, {"b", pair.b}, {"distance", pair.distance}});
    }
    Json curve = Json::array();
    for (const match::ThresholdPoint& point : result.curve) {
        curve.push_back(pointJson(point));
    }
    Json distances = nullptr;
    if (result.distances) {
        distances = {{"mean", result.distances->mean},
                     {"median", result.distances->median},
                     {"largest", result.distances->largest}};
    }
    return {{"a", lists.nameA},
            {"b", lists.nameB},
            {"tolerance", lists.tolerance.distance},
            {"unit", lists.tolerance.unit},
            {"matched", result.pairs.size()},
            {"only_a", result.onlyA},
            {"only_b", result.onlyB},
            {"precision", result.precision},
            {"recall", result.recall},
            {"f1", result.f1},
            {"f4", result.f4},
            {"best", result.best ? pointJson(*result.best) : Json(nullptr)},
            {"distance", distances},
            {"notes", notesOf(lists)},
            {"species", lists.table ? toJson(*lists.table) : Json(nullptr)},
            {"pairs", pairs},
            {"curve", curve}};
}

} // namespace flcc::job::detail::json
