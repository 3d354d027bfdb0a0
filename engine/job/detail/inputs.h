#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/job/job.h"

namespace flcc::job::detail {

/// A template of a job.
struct TemplateInput {
    std::shared_ptr<const SceneImage> image; ///< not inverted
    std::shared_ptr<const MaskImage> mask;   ///< null without one
    bool masked = false;                     ///< the mask has a 0
    /// What is matched where that is not `image`: its sign changed, or in the pixel type of all
    /// templates of its extents.
    std::optional<base::AnyImage> changed;

    [[nodiscard]] base::Extents extents() const { return base::extentsOf(image->pixels); }
    /// The template as it is matched; with its mask, if one has a 0.
    [[nodiscard]] method::MaskedView view() const;
};

/// What a job works on, read and checked.
struct Inputs {
    std::shared_ptr<const SceneImage> scene;
    std::vector<TemplateInput> templates; ///< at least one when all was read
    /// The numbers of the templates of each extent, in the order of their first ones.
    std::vector<std::vector<int>> groups;
    std::shared_ptr<const MaskImage> sceneMask; ///< null without one
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
    [[nodiscard]] std::vector<method::MaskedView> templViews(const std::vector<int>& group) const;
    [[nodiscard]] method::Problem problem(const Job& job, const std::vector<int>& group) const;
};

/// Reads or takes over scene, templates and masks and checks that they pose a problem; what is
/// missing when stopped stays null. **Errors**: Input, Problem, Memory, CommandLine; those of the
/// scene name `scene`, unless it is empty.
[[nodiscard]] Inputs readInputs(const Job& job, const JobImages& images, const std::string& scene,
                                const std::stop_token& stop);

/// The template whose scores are those of `templ` with the sign changed, in the same pixel type:
/// -v for floats, minimum + maximum - v for integers. Both are exact.
[[nodiscard]] base::AnyImage invertedTemplate(const base::AnyView& templ);

[[nodiscard]] inline base::Point pointOf(const base::Index& index) {
    return {static_cast<double>(index.x), static_cast<double>(index.y),
            static_cast<double>(index.z)};
}

/// From the first voxel of a template to its centre.
[[nodiscard]] inline base::Point halfOf(const base::Extents& templ) {
    return {static_cast<double>(templ.x - 1) / 2, static_cast<double>(templ.y - 1) / 2,
            static_cast<double>(templ.z - 1) / 2};
}

} // namespace flcc::job::detail
