#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/io/image_file.h"
#include "engine/job/input/directions.h"
#include "engine/job/job.h"
#include "engine/method/separation.h"
#include "engine/prepare/response.h"
#include "engine/rotation/pose_bank.h"

namespace flcc::job::detail {

/// Calls `body`. Puts `scene` in front of the sentence of its error, unless the sentence begins
/// with it, the error names it itself, or `scene` is empty.
template <class Body> auto inScene(const std::string& scene, const Body& body) {
    try {
        return body();
    } catch (const base::Error& error) {
        const std::string_view what = error.what();
        if (what.starts_with(scene) || what.find("scene " + scene) != std::string_view::npos) {
            throw;
        }
        throw error.within("scene " + scene + ": ");
    }
}

/// What the report of a job says about a SceneImage or a MaskImage.
template <class Image> [[nodiscard]] InputReport inputReport(std::string role, const Image& image) {
    InputReport report{.role = std::move(role),
                       .path = image.source,
                       .sha256 = image.sha256,
                       .dataFile = image.dataFile,
                       .series = image.series,
                       .note = image.note};
    if constexpr (requires { image.counts; }) {
        report.counts = image.counts;
    }
    if constexpr (requires { image.reading; }) {
        report.reading = image.reading;
    }
    return report;
}

/// How a template was brought to the axes and the grid of the scene.
struct GridChange {
    AxisTurn turn{};
    base::Extents from{0, 0, 0}; ///< before the turn
    /// Where it was resampled: the extents and the grid before, the grid after.
    base::Extents before{0, 0, 0};
    base::Geometry own{};
    base::Geometry grid{};
};

/// A template of a job.
struct TemplateInput {
    std::shared_ptr<const SceneImage> image; ///< not inverted
    std::shared_ptr<const MaskImage> mask;   ///< null without a mask
    std::optional<GridChange> change;        ///< empty: as it was given
    /// The mask before it was resampled with the template (SceneImage::finer); null without one,
    /// and where the mask is known in voxels of the scene only.
    std::shared_ptr<const MaskImage> finerMask;
    bool masked = false; ///< the mask excludes at least one voxel
    /// The pixels that are matched if they differ from `image`: with the sign changed, or converted
    /// to the common pixel type of all templates of its extents.
    std::optional<base::AnyImage> changed;
    std::optional<base::AnyImage> dark; ///< view() with the other sign, where both are searched
    method::Separability form;          ///< as it is matched; unknown for operations other than lcc

    [[nodiscard]] base::Extents extents() const { return base::extentsOf(image->pixels); }
    /// The template as it is matched; with its mask if that excludes a voxel.
    [[nodiscard]] method::MaskedView view() const;
    [[nodiscard]] method::MaskedView darkView() const; ///< of `dark`
};

/// The part of a scene that a search over poses compares, with a margin around it: the boxes of the
/// members are larger than what counts in them. Of the extent `valid` the margin mirrors the scene,
/// and no pose whose own box reaches into it counts. Of `same` and `full` there is one only where
/// the boxes are larger than the scene, and a mask says that nothing there lies inside.
struct PaddedScene {
    base::AnyImage pixels;
    base::Image<std::uint8_t> mask; ///< without voxels where all count
    base::Box room;                 ///< the part of the scene in it
};

/// The images of a job, read and checked.
struct Inputs {
    std::shared_ptr<const SceneImage> scene;
    base::Geometry geometry;              ///< of the scene, with the job's spacing
    std::vector<TemplateInput> templates; ///< not empty if everything was read
    /// The numbers of the templates of each extent, ordered by the first template of each extent.
    std::vector<std::vector<int>> groups;
    /// Of a search over poses: the members of each group; else empty.
    std::vector<std::shared_ptr<const rotation::PoseBank>> banks;
    std::shared_ptr<const MaskImage> sceneMask; ///< null without a mask
    /// The scene as it is compared, float32; null if that is the scene as read.
    std::shared_ptr<const base::AnyImage> preparedScene;
    method::Extent extent = method::Extent::Valid; ///< Job::extent
    std::shared_ptr<const PaddedScene>
        padded; ///< null without poses, and where no margin is needed
    /// What the templates of each group are filtered by; empty without filters.
    std::vector<std::shared_ptr<const prepare::Response>> responses;
    std::optional<PreparationReport> preparation; ///< empty where images are compared as read
    /// Squares of values may leave the range of floats: operations with a unit need doubles.
    bool farFromOne = false;
    bool sceneMasked = false;        ///< the mask excludes a voxel of the part that is searched
    std::optional<base::Box> region; ///< part of the scene that is searched
    std::vector<InputReport> reports;
    std::vector<std::string> notes;
    std::vector<std::string> warnings; ///< such as on spacings that differ

    [[nodiscard]] bool isVolume() const { return scene->extents().z > 1; }
    /// The whole scene as it is compared.
    [[nodiscard]] base::AnyView pixels() const {
        return base::viewOf(preparedScene ? *preparedScene : scene->pixels);
    }
    /// The pixels that are searched: the scene or its region, with a margin where poses need it;
    /// with its mask if that excludes a voxel.
    [[nodiscard]] method::MaskedView sceneView() const;
    /// The scene or its region as read.
    [[nodiscard]] method::MaskedView plainView() const { return viewOf(pixels()); }
    /// The same of another scene with these extents, such as a frame of a stack that is compared
    /// as read.
    [[nodiscard]] method::MaskedView viewOf(const base::AnyView& other) const;
    /// Scene voxel that is voxel 0 of sceneView(). It lies outside of the scene where there is a
    /// margin.
    [[nodiscard]] base::Index sceneCorner() const;
    /// The part of sceneView() in which a whole placement lies.
    [[nodiscard]] base::Box room() const;
    /// Of each member of a group, the placements in the map that count (method::Counted); empty
    /// without poses, and where a mask says it.
    [[nodiscard]] std::vector<base::Box> placementsOf(const std::vector<int>& group) const;
    /// The templates of a group, and after them those with the other sign where both are searched.
    [[nodiscard]] std::vector<method::MaskedView> templViews(const std::vector<int>& group) const;
    /// Their numbers as templates of the job.
    [[nodiscard]] std::vector<int> numbersOf(const std::vector<int>& group) const;
    /// The first view with the other sign; empty without.
    [[nodiscard]] std::optional<std::size_t> darkFrom(const std::vector<int>& group) const;
    /// The members of a group in a search over poses; else null.
    [[nodiscard]] std::shared_ptr<const rotation::PoseBank>
    bankOf(const std::vector<int>& group) const;
    /// What the map of a group numbers: its templates, or its members.
    [[nodiscard]] std::int64_t countOf(const std::vector<int>& group) const;
    /// From the corner of a placement of the group to that of the template in it, which is smaller
    /// than the box of poses.
    [[nodiscard]] base::Index shiftOf(const std::vector<int>& group) const;
    [[nodiscard]] method::Problem problem(const Job& job, const std::vector<int>& group) const;
};

/// Reads or takes over scene, templates and masks and checks that they make a valid problem. If
/// cancelled, images that were not read stay null. **Errors**: Input, Problem, Memory, CommandLine;
/// errors of the scene begin with `scene`, unless that is empty.
[[nodiscard]] Inputs readInputs(const Job& job, const JobImages& images, const std::string& scene,
                                const std::stop_token& stop);

/// The note on an image with opacity that is no template.
[[nodiscard]] inline std::string ignoresOpacity(const std::string& source) {
    return "the opacity of " + source + " is ignored; all of its pixels count";
}

/// The opaque part of an image as it was read; null without opacity, and where all of it is opaque.
[[nodiscard]] std::shared_ptr<const MaskImage> opacityOf(const io::LoadedImage& image,
                                                         const std::string& source);

/// The error for a box, "region" or "crop", that leaves a "scene" or a "stack".
[[nodiscard]] base::Error boxOutside(const std::string& box, const base::Box& place,
                                     const std::string& whole, const base::Extents& extents);
/// Throws it for a region. **Errors**: Problem.
void requireRegion(const base::Extents& scene, const base::Box& region);

/// The error for a template of several slices in a job with Job::stream.
[[nodiscard]] base::Error flatNeeded(const base::Extents& templ);

/// The image that was read from `path`, as a scalar image; null if cancelled.
[[nodiscard]] std::shared_ptr<SceneImage> sceneImageOf(io::LoadedImage loaded,
                                                       const std::filesystem::path& path,
                                                       const std::stop_token& stop);

/// Whether templates are searched with the other sign.
[[nodiscard]] inline bool isInverted(const Job& job) {
    return job.invert != (job.preparation.polarity == Polarity::Dark);
}

/// The template in the same pixel type, each voxel v mirrored between the smallest and the largest
/// finite voxel under its support: smallest + largest - v, rounded once for floats. For lcc, which
/// changes its sign and does not depend on constants, -v for floats and for integers the mirror
/// image between the extremes of all voxels; both are exact.
[[nodiscard]] base::AnyImage invertedTemplate(const method::MaskedView& templ,
                                              method::Operation operation);

[[nodiscard]] inline base::Point pointOf(const base::Index& index) {
    return {static_cast<double>(index.x), static_cast<double>(index.y),
            static_cast<double>(index.z)};
}

/// Distance from the centre of a template's first voxel to the template's centre.
[[nodiscard]] inline base::Point halfOf(const base::Extents& templ) {
    return {static_cast<double>(templ.x - 1) / 2, static_cast<double>(templ.y - 1) / 2,
            static_cast<double>(templ.z - 1) / 2};
}

/// Job::minDistance in shortest edges of a voxel of a scene of this geometry; empty = auto.
/// **Errors**: Problem for a unit where the spacing is not one of lengths.
[[nodiscard]] std::optional<double> minDistanceOf(const Job& job, const base::Geometry& geometry,
                                                  bool volume);

/// The options of a job for match::findPeaks. `geometry` and `volume`: of the scene.
[[nodiscard]] match::PeakOptions peakOptions(const Job& job, const base::Geometry& geometry,
                                             bool volume);

/// Converts peaks of Inputs::sceneView() to voxels of the whole scene of this geometry, in the
/// order of additions of findPeaks, so that they have the bits of a run without a region.
void moveToScene(std::vector<match::Peak>& peaks, const Inputs& inputs,
                 const base::Geometry& geometry);

} // namespace flcc::job::detail
