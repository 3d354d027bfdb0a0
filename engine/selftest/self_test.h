#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/method/method.h"
#include "engine/plan/planner.h"

namespace flcc::selftest {

/// What a self-test covers; as made it covers everything.
struct Options {
    /// Each the name of one of caseNames(), or a part of names: all that have it. None = all.
    std::vector<std::string> cases{};
    std::vector<std::string> instructionSets{}; ///< of plan::instructionSets(); none = all
    int threads = 0;                            ///< 0 = all
    /// The methods that are tested, those of one device by plan::methodsOn().
    std::vector<const method::Method*> methods = plan::methods();
};

/// What became of all runs of one case with one method of a device, one instruction set and one
/// precision: every candidate the method accepts, with recomputing on, and one with recomputing
/// off.
struct Row {
    std::string name; ///< of the case
    std::string method;
    std::string device;         ///< "cpu", "cuda:0"
    std::string instructionSet; ///< of the processor; empty for a GPU, which runs once
    method::Precision precision = method::Precision::Single;
    int runs = 0;
    double largestError = 0; ///< |score - exact score|, voxels with a value
    double overBound = 0;    ///< largest error of a run over the largest bound it tells, at most 1
    std::string fault;       ///< the first one, in words; empty when there is none
    double ms = 0;
};

struct Report {
    std::vector<Row> rows;
    bool cancelled = false;
    double ms = 0;

    [[nodiscard]] bool passed() const;
};

/// The cases in the order in which they run, and what each of them is.
struct CaseName {
    std::string name;
    std::string about;
};
[[nodiscard]] std::vector<CaseName> caseNames();

/// **Errors**: CommandLine for an entry of Options::cases that no case has in its name.
void requireCases(const std::vector<std::string>& cases);

/// Told the case under way and the share of the whole that is done, 0 .. 1.
using Progress = std::function<void(std::string_view name, double share)>;
/// Told all rows of a case when it has ended; not those of a case that a stop cut short.
using CaseEnded = std::function<void(const std::vector<Row>& rows)>;

/// Runs the cases that break programs for template matching, on every instruction set of this
/// machine and its GPUs, every candidate of every method, and compares all scores, or a seeded
/// sample where the panels are large, with ones taken in exact integers. A wrong score without a
/// mark, a wrong status, a score further off than its bound or out of range by more, where
/// recomputing is on a LOWCONF voxel, and a run that ends with an error is a fault.
/// **Errors**: CommandLine for a case or instruction set that does not exist. **Threads**:
/// restricts the instructions of the whole process while it runs, so no other run may be under way.
[[nodiscard]] Report runSelfTest(const Options& options, const std::stop_token& stop = {},
                                 const Progress& progress = {}, const CaseEnded& ended = {});

/// headText(), toText() of all rows, verdictText().
[[nodiscard]] std::string toText(const Report& report);
[[nodiscard]] std::string headText(); ///< what the columns of toText(rows) are
/// One line a case and device.
[[nodiscard]] std::string toText(const std::vector<Row>& rows);
/// The faults, the devices by name, and the verdict.
[[nodiscard]] std::string verdictText(const Report& report);
/// Every row, the devices by name, and the verdict: "passed", "failed" or "interrupted".
[[nodiscard]] std::string toJson(const Report& report);

} // namespace flcc::selftest
