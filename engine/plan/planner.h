#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/pixels.h"
#include "engine/base/tile_pool.h"
#include "engine/method/method.h"
#include "engine/plan/knowledge.h"
#include "engine/plan/report.h"

namespace flcc::plan {

/// What the caller decides before planning.
struct Request {
    Planning planning = Planning::Measure;
    method::Limits limits;
    std::string method = "auto";             ///< or a name of the table: "direct", "tiled"
    std::string device = "auto";             ///< "auto", "cpu", "cuda", "cuda:0"
    base::Extents tile{0, 0, 0};             ///< 0 = the planner's choice
    std::optional<method::Candidate> replay; ///< the candidate chosen in an earlier report
    std::vector<CandidateReport> failed;     ///< in a run: what stays in the report, never chosen
    /// What was learnt before: its cost model replaces the built-in one, and the times it holds of
    /// the problem are not measured again. May be null.
    const Knowledge* knowledge = nullptr;
};

/// A decision: which method, on which device, with which tile. Immutable and without pixels.
class Plan {
  public:
    Plan(const method::Method& method, PlanReport report);

    [[nodiscard]] const method::Method& method() const { return *m_method; }
    [[nodiscard]] const method::Candidate& candidate() const;
    [[nodiscard]] const method::Problem& problem() const { return m_report.problem; }
    [[nodiscard]] const PlanReport& report() const { return m_report; }

  private:
    const method::Method* m_method;
    PlanReport m_report;
};

/// What planning came to. `plan` is empty when every candidate was refused or planning was
/// cancelled; the report says which and why.
struct Planned {
    std::shared_ptr<const Plan> plan;
    PlanReport report;
    bool cancelled = false;
    /// What was measured, worth remembering; empty when nothing was.
    std::optional<KnownProblem> learnt;
};

/// The ordered table of methods of this program: those of the processor, then those of every GPU
/// that can be used.
[[nodiscard]] const std::vector<const method::Method*>& methods();

/// The method of a candidate; null where methods() has none of that name on its device.
[[nodiscard]] const method::Method* methodOf(const method::Candidate& candidate);

/// The traits of a candidate's method, whatever its device. **Errors**: Internal for a method that
/// methods() does not have.
[[nodiscard]] method::Traits traitsOf(const method::Candidate& candidate);

/// Those of methods() on the devices that `device` names: "auto" for all that can be used, "cpu",
/// "cuda" for every GPU, "cuda:0". **Errors**: Device for one that cannot be used or is not there.
[[nodiscard]] std::vector<const method::Method*> methodsOn(const std::string& device);

/// Whether `text` has the form of a device: auto, cpu, cuda or cuda:N.
[[nodiscard]] bool isDeviceName(std::string_view text);

/// A device as `flcc-cli devices` and the Match panel list it.
struct Device {
    std::string id;   ///< "cpu", "cuda", "cuda:0"
    std::string name; ///< processor or GPU by name
    std::int64_t memoryTotal = 0;
    std::int64_t memoryFree = 0;
    int threads = 0;             ///< of a processor
    std::string instructions;    ///< widest instruction set in use: "AVX3"; of a GPU its capability
    double peakMultiplyAdds = 0; ///< of a GPU: in float a nanosecond, by its clock; 0 = not known
    bool usable = false;
    std::string reason; ///< why it cannot be used; empty when it can
};

/// How much is asked of devices: their names, or their free memory too, for which a GPU is woken.
enum class DeviceDetail { Names, Memory };

/// Every device, usable or not; the CPU first. Without any GPU one row, "cuda", says why.
[[nodiscard]] std::vector<Device> devices(DeviceDetail detail = DeviceDetail::Memory);

/// The instruction sets that this machine has and the program has code for, the widest first.
[[nodiscard]] std::vector<std::string> instructionSets();

/// Restricts all methods of the process to one instruction set while it lives: for tests, while no
/// run is under way. **Errors**: CommandLine for a set that is not one of instructionSets().
class InstructionSetLimit {
  public:
    explicit InstructionSetLimit(const std::string& name);
    ~InstructionSetLimit();
    InstructionSetLimit(const InstructionSetLimit&) = delete;
    InstructionSetLimit& operator=(const InstructionSetLimit&) = delete;
};

/// The computing libraries in use and their versions: FFTW, Highway.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> libraryVersions();

/// Chooses among the candidates of every method. `scene` and `templ` are the real pixels, used for
/// timing; they may be null for Planning::Estimate. `model` is the cost model where `request`
/// brings no knowledge of a better one.
/// **Errors**: Problem for an invalid problem, CommandLine for a method that does not exist, Device
/// for a device that cannot be used. That all candidates are refused is a result, not an error.
[[nodiscard]] Planned makePlan(const method::Problem& problem, const Request& request,
                               const method::MaskedView* scene, const method::MaskedView* templ,
                               const method::SceneStatistics* statistics, base::TilePool& pool,
                               std::stop_token stop = {},
                               const method::CostModel& model = method::CostModel{});

} // namespace flcc::plan
