#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/base/error.h"
#include "engine/job/detail/group_run.h"
#include "engine/job/detail/outputs.h"
#include "engine/job/job.h"

namespace flcc::job::detail {

/// A scene by its number, and what reading it takes at most in bytes.
struct OrderedScene {
    std::size_t number = 0;
    std::int64_t bytes = 0;
};

/// The order in which the scenes of `jobs` are done, one a job: the first one first, and those
/// alike in extents and type after each other, so that what they share is made once. Reads the
/// headers of all, unless there is but one; those of `images` are in memory. Stopped, it means
/// nothing.
/// **Errors**: Input for a scene that cannot be read, before anything is computed.
[[nodiscard]] std::vector<OrderedScene>
sceneOrder(const std::vector<Job>& jobs, const JobImages& images, const std::stop_token& stop);

/// Reads the scene that comes next on a thread of its own while another one is matched.
///
/// **Threads**: one calls; the destructor stops and waits.
class ReadAhead {
  public:
    /// Begins to read the scene of `next`.
    void start(const Job& next, const std::stop_token& stop);
    /// Waits for the end of reading.
    void wait();
    /// Waits and hands over; null when nothing was begun, and when reading was stopped or failed:
    /// reading it again tells why.
    [[nodiscard]] std::shared_ptr<const SceneImage> take();

  private:
    std::shared_ptr<const SceneImage> m_image; ///< the thread's until it has ended
    std::jthread m_thread;                     ///< last: its end uses the member above
};

/// What the scenes of a job have in common.
struct Stream {
    int scenes = 1;
    int scene = 0;                ///< the number of the one at hand
    bool last = true;             ///< the outputs of all get their names when it is done
    std::vector<Shared> shared{}; ///< what the one before left
    OutputFiles files{};
    const Job* next = nullptr;  ///< of the scene after this one; null without one
    std::int64_t nextBytes = 0; ///< what it takes
    bool reading = false;       ///< ahead, since this one is matched
    ReadAhead ahead{};          ///< last: it may be reading when the job ends
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
