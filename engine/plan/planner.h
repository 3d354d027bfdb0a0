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
#include "engine/method/session.h"
#include "engine/plan/knowledge.h"
#include "engine/plan/report.h"

namespace flcc::plan {

/// The caller's choices for planning.
struct Request {
    Planning planning = Planning::Measure;
    method::Limits limits{.threads = 0};     ///< threads 0: those of the pool of makePlan()
    std::string method = "auto";             ///< "auto" or a name of methods(): "direct", "tiled"
    std::string device = "auto";             ///< "auto", "cpu", "cuda", "cuda:0"
    base::Extents tile{0, 0, 0};             ///< 0: the planner chooses
    std::optional<method::Candidate> replay; ///< use this candidate, chosen in an earlier report
    std::vector<CandidateReport> failed;     ///< failed in a run: listed, never chosen
    /// Knowledge from before; may be null. Its cost model replaces the built-in one, and its times
    /// of the problem replace a measurement.
    const Knowledge* knowledge = nullptr;
    bool timeAgain = false; ///< measures, whatever times the knowledge has
};

/// The choice of a method, a device and a tile for a kind of problem. Immutable, without pixels.
class Plan {
  public:
    Plan(const method::Method& method, PlanReport report);

    [[nodiscard]] const method::Method& method() const { return *m_method; }
    [[nodiscard]] const method::Candidate& candidate() const;
    [[nodiscard]] const method::Problem& problem() const { return m_report.problem; }
    [[nodiscard]] const PlanReport& report() const { return m_report; }
    /// The plan at work, as often as wanted.
    [[nodiscard]] method::Session session() const { return {*m_method, problem(), candidate()}; }

  private:
    const method::Method* m_method;
    PlanReport m_report;
};

/// Result of planning. `plan` is null when every candidate was refused or planning was cancelled;
/// the report holds the reason for each candidate.
struct Planned {
    std::shared_ptr<const Plan> plan;
    PlanReport report;
    bool cancelled = false;
    /// The times that planning measured, for Knowledge::remember(); empty when it measured none.
    std::optional<KnownProblem> learnt;
    /// Key of the times of this problem, which a run may correct (KnownProblem::correct); empty for
    /// a plan that is replayed and where nothing is timed.
    std::string key{};
};

/// The table of all methods, in a fixed order: those on the processor, then those on each GPU that
/// can be used.
[[nodiscard]] const std::vector<const method::Method*>& methods();

/// The method of a candidate; null if methods() holds none of this name on this device.
[[nodiscard]] const method::Method* methodOf(const method::Candidate& candidate);

/// The traits of a candidate's method, which do not depend on its device. **Errors**: Internal if
/// methods() holds no method of this name.
[[nodiscard]] method::Traits traitsOf(const method::Candidate& candidate);

/// The methods on the devices that `device` names: "auto" (all that can be used), "cpu", "cuda"
/// (every GPU) or "cuda:0". **Errors**: Device for a device that cannot be used or does not exist.
[[nodiscard]] std::vector<const method::Method*> methodsOn(const std::string& device);

/// True if `text` has the form of a device name: auto, cpu, cuda or cuda:N.
[[nodiscard]] bool isDeviceName(std::string_view text);

/// A device as `flcc-cli devices` and the Match panel list it. **Units**: memory in bytes.
struct Device {
    std::string id;   ///< "cpu", "cuda", "cuda:0"
    std::string name; ///< model name of the processor or GPU
    std::int64_t memoryTotal = 0;
    std::int64_t memoryFree = 0;
    int threads = 0; ///< of the processor
    /// Widest instruction set in use, "AVX3"; of a GPU its compute capability.
    std::string instructions;
    double peakMultiplyAdds = 0; ///< GPU: multiply-adds in float per ns by its clock; 0 = unknown
    bool usable = false;
    std::string reason; ///< why the device cannot be used; empty when it can
};

/// Facts that devices() looks up: names only, or free memory too. Free memory needs a context on
/// each GPU, which takes a second and some hundred megabytes of its memory.
enum class DeviceDetail { Names, Memory };

/// All devices, usable or not, the CPU first. If there is no GPU, a row "cuda" holds the reason.
[[nodiscard]] std::vector<Device> devices(DeviceDetail detail = DeviceDetail::Memory);

/// The instruction sets for which the program has code and which this machine supports, the widest
/// first.
[[nodiscard]] std::vector<std::string> instructionSets();

/// Restricts all methods of the process to one instruction set during the lifetime of this object.
/// For tests. **Threads**: no run may be under way. **Errors**: CommandLine for a set that
/// instructionSets() does not list.
class InstructionSetLimit {
  public:
    explicit InstructionSetLimit(const std::string& name);
    ~InstructionSetLimit();
    InstructionSetLimit(const InstructionSetLimit&) = delete;
    InstructionSetLimit& operator=(const InstructionSetLimit&) = delete;
};

/// Names and versions of the computing libraries in use: FFTW, Highway, CUDA.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> libraryVersions();

/// Chooses the fastest of the candidates of all methods. `scene` and `templ` hold the pixels on
/// which candidates are timed, on the threads of `pool`, at most as many as the request allows;
/// without them, as with Planning::Estimate, nothing is timed.
/// `statistics` of the scene may be null. `model` is the cost model if `request.knowledge` holds
/// none.
/// **Errors**: Problem for an invalid problem, CommandLine for a method that does not exist, Device
/// for a device that cannot be used. If all candidates are refused, that is a result, not an error.
[[nodiscard]] Planned makePlan(const method::Problem& problem, const Request& request,
                               const method::MaskedView* scene, const method::MaskedView* templ,
                               const method::SceneStatistics* statistics, base::TilePool& pool,
                               std::stop_token stop = {},
                               const method::CostModel& model = method::CostModel{});

} // namespace flcc::plan
