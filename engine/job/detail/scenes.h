#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/job/job.h"

namespace flcc::job::detail {

/// The order in which the scenes of `jobs` are done, one a job: the first one first, and those
/// alike in extents and type after each other, so that what they share is made once. Reads the
/// headers of all, unless there is but one; those of `images` are in memory. Stopped, it means
/// nothing.
/// **Errors**: Input for a scene that cannot be read, before anything is computed.
[[nodiscard]] std::vector<std::size_t>
sceneOrder(const std::vector<Job>& jobs, const JobImages& images, const std::stop_token& stop);

/// Calls `body`; its error says that it is one of `scene`, unless it begins with that or says so
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
