#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/job/job.h"

namespace flcc::job::detail {

/// What a job works on, read and checked.
struct Inputs {
    std::shared_ptr<const SceneImage> scene;
    std::shared_ptr<const SceneImage> templ; ///< not inverted
    base::AnyImage inverted;                 ///< the template with its sign changed; if asked for
    bool invert = false;
    std::shared_ptr<const MaskImage> mask;      ///< of the template; null without one
    std::shared_ptr<const MaskImage> sceneMask; ///< null without one
    bool masked = false;                        ///< the mask has a 0
    bool sceneMasked = false;                   ///< likewise, in the part that is searched
    std::optional<base::Box> region;            ///< of the scene
    std::vector<InputReport> reports;
    std::vector<std::string> notes;

    /// What is searched: the scene or its region; with its mask, if one has a 0.
    [[nodiscard]] method::MaskedView sceneView() const;
    /// Its first voxel in the scene.
    [[nodiscard]] base::Index sceneCorner() const {
        return region ? region->corner : base::Index{};
    }
    /// The template as it is matched, likewise.
    [[nodiscard]] method::MaskedView templView() const;
    [[nodiscard]] method::Problem problem(const Job& job) const;
};

/// Reads or takes over scene, template and masks and checks that they pose a problem; what is
/// missing when stopped stays null. **Errors**: Input, Problem, Memory, CommandLine.
[[nodiscard]] Inputs readInputs(const Job& job, const JobImages& images,
                                const std::stop_token& stop);

/// The template whose scores are those of `templ` with the sign changed, in the same pixel type:
/// -v for floats, minimum + maximum - v for integers. Both are exact.
[[nodiscard]] base::AnyImage invertedTemplate(const base::AnyView& templ);

} // namespace flcc::job::detail
