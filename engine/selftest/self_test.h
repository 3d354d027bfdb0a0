#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/method/method.h"
#include "engine/plan/planner.h"

namespace flcc::selftest {

/// What a self-test covers. The default covers everything.
struct Options {
    /// Each entry is one of caseNames() or a part of such names: all cases with that text in their
    /// name are run. Empty = all.
    std::vector<std::string> cases{};
    std::vector<std::string> instructionSets{}; ///< some of plan::instructionSets(); empty = all
    int threads = 0;                            ///< 0 = all
    /// The methods to test; plan::methodsOn() gives those of one device.
    std::vector<const method::Method*> methods = plan::methods();
};

/// Summary of all runs of one case with one method of a device, one instruction set and one
/// precision: every candidate that the method accepts, with recomputing on, and one candidate with
/// recomputing off.
struct Row {
    std::string name; ///< name of the case
    std::string method;
    std::string device; ///< "cpu", "cuda:0"
    std::string
        instructionSet; ///< instruction set of the processor; empty for a GPU, which runs once
    method::Precision precision = method::Precision::Single;
    int runs = 0;
    double largestError = 0; ///< |score - exact score| over voxels with a value
    double overBound = 0;    ///< largest error of a run / largest bound it reports; at most 1
    std::string fault;       ///< the first fault as a sentence; empty if there is none
    double ms = 0;
};

struct Report {
    std::vector<Row> rows;
    bool cancelled = false;
    double ms = 0;

    [[nodiscard]] bool passed() const;
};

/// The cases in the order in which they run, each with a description.
struct CaseName {
    std::string name;
    std::string about;
};
[[nodiscard]] std::vector<CaseName> caseNames();

/// **Errors**: CommandLine for an entry of Options::cases that is no part of a case's name.
void requireCases(const std::vector<std::string>& cases);

/// Called with the name of the current case and the finished share of all cases, 0 .. 1.
using Progress = std::function<void(std::string_view name, double share)>;
/// Called with all rows of a case when it has ended; not called for a case that was cancelled.
using CaseEnded = std::function<void(const std::vector<Row>& rows)>;

/// Runs cases that break template matching programs: with every instruction set of this machine, on
/// its GPUs, with every candidate of every method. Compares all scores, or a seeded sample where
/// the panels are large, with scores computed in exact integers. Faults are: a wrong score that is
/// not marked LOWCONF; a wrong status; an error above the bound; a score out of range by more than
/// its bound; a LOWCONF voxel where recomputing is on; a run that ends with an error.
/// **Errors**: CommandLine for a case or instruction set that does not exist. **Threads**:
/// restricts the instruction sets of the whole process, so no other run may be active meanwhile.
[[nodiscard]] Report runSelfTest(const Options& options, const std::stop_token& stop = {},
                                 const Progress& progress = {}, const CaseEnded& ended = {});

/// headText(), then toText() of all rows, then verdictText().
[[nodiscard]] std::string toText(const Report& report);
[[nodiscard]] std::string headText(); ///< explains the columns of toText(rows)
/// One line for each case and device.
[[nodiscard]] std::string toText(const std::vector<Row>& rows);
/// The faults, the names of the devices, and the verdict.
[[nodiscard]] std::string verdictText(const Report& report);
/// Every row, the names of the devices, and the verdict: "passed", "failed" or "interrupted".
[[nodiscard]] std::string toJson(const Report& report);

} // namespace flcc::selftest
