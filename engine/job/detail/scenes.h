#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/job/detail/flight.h"
#include "engine/job/detail/group_run.h"
#include "engine/job/detail/outputs.h"
#include "engine/job/job.h"

namespace flcc::job::detail {

/// A scene by its number.
struct OrderedScene {
    std::size_t number = 0;
    std::int64_t bytes = 0; ///< that reading it takes at most
    std::size_t kind = 0;   ///< the same for scenes of equal extents and type
};

/// The order in which the scenes of `jobs` are done, one a job: the first one first, and those
/// alike in extents and type after each other, so that what they share is made once. Reads the
/// headers of all, unless there is but one; those of `images` are in memory. Stopped, it means
/// nothing.
/// **Errors**: Input for a scene that cannot be read, before anything is computed.
[[nodiscard]] std::vector<OrderedScene>
sceneOrder(const std::vector<Job>& jobs, const JobImages& images, const std::stop_token& stop);

/// What the scenes of a job have in common.
struct Stream {
    const std::vector<Job>& jobs;           ///< one a scene
    const std::vector<OrderedScene>& order; ///< in which they are done
    std::size_t turn = 0;                   ///< of the one at hand, in `order`
    std::vector<Shared> shared{};           ///< what the one before left
    OutputFiles files{};
    int inFlight = 1; ///< scenes that the plan of the one at hand lets be under way at once
    /// Of scenes that are done, for those that run ahead by the same plan.
    std::vector<std::unique_ptr<method::Workspace>> spare{};
    Ahead ahead{}; ///< last: it may be at work when the job ends

    [[nodiscard]] bool several() const { return jobs.size() > 1; }
    [[nodiscard]] int scene() const { return static_cast<int>(order[turn].number); }
    /// Whether scene `later` turns after the one at hand exists, and is of its kind.
    [[nodiscard]] bool has(std::size_t later) const { return turn + later < order.size(); }
    [[nodiscard]] bool hasAlike(std::size_t later) const {
        return has(later) && order[turn + later].kind == order[turn].kind;
    }
    [[nodiscard]] const Job& job(std::size_t later) const {
        return jobs[order[turn + later].number];
    }
    /// What reading the next one takes; 0 without one.
    [[nodiscard]] std::int64_t nextBytes() const { return has(1) ? order[turn + 1].bytes : 0; }
    /// One scene after the other from here on, until one is planned anew.
    void ground() {
        ahead.ground();
        spare.clear();
        inFlight = 1;
    }
};

/// Calls `body`; its error says that it is one of `scene`,
/// unless it begins with that or says so
/// itself, or that is empty.
template <class Body> auto inScene(const std::string& scene, const Body& body) {
    try {
        return body();
    } catch (const base::Error& error) {
        const std::string_view what = error.what();
        if (what.starts_with(scene) || what.find("scene " + scene) != std::string_view::npos) {
            throw;
        }
        throw base::Error(error.code(), "scene " + scene + ": " + error.what());
    }
}

} // namespace flcc::job::detail
