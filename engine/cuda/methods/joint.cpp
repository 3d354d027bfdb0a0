#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/tile_pool.h"
#include "engine/cuda/methods/methods.h"
#include "engine/cuda/run/device_method.h"

namespace flcc::cuda {

namespace {

using method::Candidate;
using method::Problem;

/// The workspace of each device, made by the thread that drives the device.
struct JointWorkspace final : public method::Workspace {
    explicit JointWorkspace(std::size_t devices) : own(devices) {}
    std::vector<std::unique_ptr<method::Workspace>> own;
};

/// One method on several devices, which take the parts of a map from one queue. If a device fails,
/// the others compute the parts that it has not finished.
class JointMethod final : public method::MethodOnDevice {
  public:
    explicit JointMethod(std::vector<std::unique_ptr<DeviceMethod>> members)
        : m_members(std::move(members)) {}

    [[nodiscard]] std::string_view name() const override { return m_members.front()->name(); }
    [[nodiscard]] method::Traits traits() const override { return m_members.front()->traits(); }
    [[nodiscard]] std::string_view device() const override { return "cuda"; }
    /// The free memory of the device that has least.
    [[nodiscard]] std::int64_t freeMemory() const override {
        std::int64_t least = INT64_MAX;
        for (const auto& member : m_members) {
            least = std::min(least, member->freeMemory());
        }
        return least;
    }
    void warmUp(const Problem&, const Candidate&) const override {}

    [[nodiscard]] std::vector<Candidate> candidates(const Problem& problem,
                                                    const method::Limits& limits,
                                                    const base::Extents& tile) const override {
        std::vector<Candidate> all = m_members.front()->candidates(problem, limits, tile);
        for (Candidate& candidate : all) {
            candidate.device = std::string(device());
        }
        return all;
    }

    /// The prediction for the slowest device. Refuses if fewer than two devices can be used, or if
    /// there are fewer parts than devices.
    [[nodiscard]] method::Verdict
    predict(const Problem& problem, const Candidate& candidate, const method::Limits& limits,
            const method::CostModel& model,
            const method::SceneStatistics* statistics) const override {
        std::string reasons;
        std::size_t usable = 0;
        method::Verdict slowest = method::Refusal{};
        for (const auto& member : m_members) {
            const DeviceFacts& facts = member->facts();
            if (const std::string reason = member->engine().reasonAgainst(facts.number);
                !reason.empty()) {
                reasons += (reasons.empty() ? "" : "; ") + facts.id() + ": " + reason;
                continue;
            }
            method::Verdict one = member->predict(problem, candidate, limits, model, statistics);
            if (std::holds_alternative<method::Refusal>(one)) {
                return one;
            }
            if (usable++ == 0 ||
                std::get<method::Prediction>(one).ms > std::get<method::Prediction>(slowest).ms) {
                slowest = std::move(one);
            }
        }
        if (usable < 2) {
            return method::Refusal{"fewer than two GPUs can be used: " + reasons};
        }
        const DeviceMethod& first = *m_members.front();
        const auto parts =
            PartQueue::count(method::mapExtents(problem),
                             first.partOf(first.submitted(problem, candidate), candidate));
        if (parts < std::ssize(m_members)) {
            return method::Refusal{std::to_string(parts) + " part" + (parts > 1 ? "s" : "") +
                                   " of the map, too few for " + std::to_string(m_members.size()) +
                                   " GPUs to share"};
        }
        return slowest;
    }

    [[nodiscard]] std::shared_ptr<const method::Prepared>
    prepare(const Problem& problem, const Candidate& candidate, const method::MaskedView& templ,
            base::TilePool& pool) const override {
        return m_members.front()->prepare(problem, candidate, templ, pool);
    }

    [[nodiscard]] std::unique_ptr<method::Workspace>
    makeWorkspace(const Problem&, const Candidate&) const override {
        return std::make_unique<JointWorkspace>(m_members.size());
    }

    method::Outcome execute(const Problem& problem, const Candidate& candidate,
                            const method::Prepared& prepared, const method::MaskedView& scene,
                            method::Workspace& workspace, const method::Execution& execution,
                            const method::MapView& map) const override {
        const Problem one = oneOf(problem);
        const method::MaskedView seen = withoutIdleMask(problem, scene);
        const method::PreparedTemplates alone{borrowed(prepared)};
        return runTogether({one, candidate, alone, seen, execution, {map, {}}}, workspace);
    }

    method::Outcome executeBank(const Problem& problem, const Candidate& candidate,
                                const method::PreparedTemplates& prepared,
                                const method::MaskedView& scene, method::Workspace& workspace,
                                const method::Execution& execution,
                                const method::BankView& to) const override {
        method::requireTemplates(problem, prepared.size());
        if (m_members.front()->submitted(problem, candidate).templates == 1) {
            return Method::executeBank(problem, candidate, prepared, scene, workspace, execution,
                                       to);
        }
        const method::MaskedView seen = withoutIdleMask(problem, scene);
        return runTogether({problem, candidate, prepared, seen, execution, to}, workspace);
    }

    [[nodiscard]] bool reduces(const Problem& problem) const override { return isReduced(problem); }

    method::Outcome reduce(const Problem& problem, const Candidate& candidate,
                           const method::PreparedTemplates& prepared,
                           const method::MaskedView& scene, method::Workspace& workspace,
                           const method::Execution& execution,
                           const method::Reduction& wanted) const override {
        requireReduces(problem);
        method::requireTemplates(problem, prepared.size());
        const DeviceMethod& first = *m_members.front();
        if (first.submitted(problem, candidate).templates != problem.templates) {
            return reduceOnHost(problem, [&](const method::BankView& to) {
                return Method::executeBank(problem, candidate, prepared, scene, workspace,
                                           execution, to);
            });
        }
        const method::MaskedView seen = withoutIdleMask(problem, scene);
        return reduceTo(
            problem, first.partOf(problem, candidate), wanted, [&](const ReducedRun& to) {
                return runTogether({problem, candidate, prepared, seen, execution, {}, &to},
                                   workspace);
            });
    }

  private:
    [[nodiscard]] method::Outcome runTogether(const RunInput& input,
                                              method::Workspace& workspace) const {
        Problem problem = input.problem;
        problem.onDevice.runs = 1; // no device sees the whole scene
        if (input.execution.onDevice.hold != nullptr) {
            input.execution.onDevice.hold->scene.reset(); // its memory is not planned for
        }
        const method::Candidate& candidate = input.candidate;
        const method::Execution& execution = input.execution;
        const RunInput own{problem,   candidate, input.prepared, input.scene,
                           execution, input.map, input.reduced};
        auto& joint = dynamic_cast<JointWorkspace&>(workspace);
        PartQueue parts(method::mapExtents(problem), m_members.front()->partOf(problem, candidate),
                        execution, problem.templates);
        Failures failures(m_members.size());
        method::Outcome all = share(own, joint, parts, failures);
        for (const std::optional<base::Error>& failure : failures) {
            if (failure) {
                all.onDevice.failures.push_back(std::string(failure->what()) +
                                                "; other GPUs did its share");
            }
        }
        settle(all, problem, parts);
        return all;
    }

    /// For each device the error that ended its work in a run, if any.
    using Failures = std::vector<std::optional<base::Error>>;

    /// Runs all devices until the queue is empty or a stop is requested. **Errors**: if parts are
    /// left that no device can compute, one error with the messages of all devices.
    [[nodiscard]] method::Outcome share(const RunInput& input, JointWorkspace& joint,
                                        PartQueue& parts, Failures& failures) const {
        method::Outcome all;
        std::mutex lock; // guards `all`
        base::TilePool devices(static_cast<int>(m_members.size()));
        devices.run(std::ssize(m_members), [&](std::int64_t item, int) {
            const auto i = static_cast<std::size_t>(item);
            const DeviceMethod& member = *m_members[i];
            if (!member.engine().reasonAgainst(member.facts().number).empty()) {
                return; // the device is lost
            }
            try {
                if (!joint.own[i]) {
                    joint.own[i] = member.makeWorkspace(input.problem, input.candidate);
                }
                const method::Outcome one = member.run(input, *joint.own[i], parts);
                const std::lock_guard guard(lock);
                add(one, all);
            } catch (const base::Error& error) {
                joint.own[i].reset();
                failures[i] = error;
            }
        });
        if (!parts.isDone() && !input.execution.stop.stop_requested()) {
            throw failureOf(failures);
        }
        return all;
    }

    /// Adds the outcome of one device to that of all. Devices are set up in parallel, so the
    /// longest setup counts.
    static void add(const method::Outcome& one, method::Outcome& all) {
        method::addStages(one.stagesMs, all.stagesMs);
        const double setup = std::max(one.onDevice.times->setup,
                                      all.onDevice.times ? all.onDevice.times->setup : 0.0);
        const int devices = all.onDevice.times ? all.onDevice.times->devices + 1 : 1;
        all.onDevice.times = all.onDevice.times.value_or(method::DeviceTimes{});
        all.onDevice.times->add(*one.onDevice.times);
        all.onDevice.times->setup = setup;
        all.onDevice.times->devices = devices;
        all.onDevice.times->uploads = 1; // each device uploads its share
    }

    /// The error of a run that no device could finish.
    static base::Error failureOf(const Failures& failures) {
        std::string text;
        auto code = base::ErrorCode::Device;
        for (const std::optional<base::Error>& failure : failures) {
            if (failure) {
                text += (text.empty() ? "" : "; ") + std::string(failure->what());
                code = failure->code();
            }
        }
        return {code, text.empty() ? "no GPU can be used any more" : text};
    }

    std::vector<std::unique_ptr<DeviceMethod>> m_members;
};

} // namespace

std::unique_ptr<method::Method> jointMethod(Engine& engine, MakeMethod make,
                                            const std::vector<std::int32_t>& numbers) {
    std::vector<std::unique_ptr<DeviceMethod>> members;
    for (const std::int32_t number : numbers) {
        members.push_back(make(engine, number, numbers));
    }
    return std::make_unique<JointMethod>(std::move(members));
}

} // namespace flcc::cuda
