// Templates and masks on the axes and the grid of the scene.
#include "engine/job/input/scene_grid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/spacing.h"
#include "engine/filter/resample.h"
#include "engine/job/input/directions.h"
#include "engine/job/input/masks.h"
#include "engine/job/mask_shape.h"
#include "engine/job/report/text.h"
#include "engine/job/scene_grid.h"

namespace flcc::job {

namespace detail {

using base::Error;
using base::ErrorCode;

namespace {

/// Whether a turn moves a voxel of an image.
bool moves(const AxisTurn& turn, const base::Extents& extents) {
    const auto n = lengthsOf(extents);
    for (std::size_t a = 0; a < 3; ++a) {
        if (n[turn.from[a]] > 1 && (turn.against[a] || turn.from[a] != a)) {
            return true;
        }
    }
    return false;
}

/// A picture with two axes says nothing of the plane that it lies in.
bool hasTwoAxes(const base::Extents& extents, const base::Geometry& geometry) {
    const auto& d = geometry.direction;
    return base::isFlat2D(extents) && geometry.origin[2] == 0 && d[2] == 0 && d[5] == 0 &&
           d[6] == 0 && d[7] == 0 && d[8] == 1;
}

base::Extents lengthsIn(const SceneImage& image) { return image.extents(); }
base::Extents lengthsIn(const MaskImage& mask) { return mask.support.extents(); }

/// Null where one of both states no directions. Pictures with two axes lie in the plane of a scene
/// of one slice.
template <class Image>
std::optional<Relation> relationTo(const SceneImage& scene, const Image& image) {
    if (base::isFlat2D(scene.extents()) && hasTwoAxes(lengthsIn(image), image.geometry) &&
        !hasTwoAxes(scene.extents(), scene.geometry)) {
        return std::nullopt;
    }
    return scene.directed && image.directed ? relationOf(image.geometry, scene.geometry)
                                            : std::nullopt;
}

void add(std::string& notes, const std::string& note) {
    notes += (notes.empty() || note.empty() ? "" : "; ") + note;
}

/// The sentence for axes that were turned.
std::string turnNote(const std::string& source, const AxisTurn& turn) {
    return "the axes of " + source + " were turned to those of the scene: " + turn.text();
}

/// A copy without the voxels.
std::shared_ptr<SceneImage> factsOf(const SceneImage& image) {
    auto made = std::make_shared<SceneImage>();
    made->geometry = image.geometry;
    made->directed = image.directed;
    made->source = image.source;
    made->note = image.note;
    made->sha256 = image.sha256;
    made->dataFile = image.dataFile;
    made->series = image.series;
    made->reading = image.reading;
    made->inside = image.inside;
    made->channels = image.channels;
    return made;
}

template <class Voxel>
base::Image<Voxel> turned(const base::Image<Voxel>& image, const AxisTurn& turn) {
    return image.empty() ? base::Image<Voxel>()
                         : std::get<base::Image<Voxel>>(turnedPixels(
                               base::AnyView(base::View<const Voxel>(image.view())), turn));
}

/// `says`: with a note if a voxel moves.
std::shared_ptr<const MaskImage> turned(const MaskImage& mask, const AxisTurn& turn, bool says) {
    auto made = std::make_shared<MaskImage>();
    takeFacts(*made, mask);
    made->support = turned(mask.support, turn);
    made->weights = turned(mask.weights, turn);
    made->geometry = turnedGeometry(mask.geometry, mask.support.extents(), turn);
    if (says && moves(turn, mask.support.extents())) {
        add(made->note, turnNote(mask.source, turn));
    }
    return made;
}

/// Values from 0 to 1 of a mask.
base::AnyImage valuesOf(const MaskImage& mask) {
    base::Image<double> values(mask.support.extents());
    for (std::int64_t i = 0; i < values.count(); ++i) {
        values.data()[i] = mask.weights.empty() ? mask.support.data()[i] : mask.weights.data()[i];
    }
    return values;
}

/// The mask with the values of another grid: half of a voxel that counts is inside.
std::shared_ptr<MaskImage> withValues(const MaskImage& mask, base::Image<double> values) {
    auto made = std::make_shared<MaskImage>();
    takeFacts(*made, mask);
    made->support = base::Image<std::uint8_t>(values.extents(), std::uint8_t{0});
    std::int64_t inside = 0;
    for (std::int64_t i = 0; i < values.count(); ++i) {
        double& value = values.data()[i];
        value = std::clamp(value, 0.0, 1.0);
        made->support.data()[i] = (mask.weights.empty() ? value >= 0.5 : value > 0) ? 1 : 0;
        inside += made->support.data()[i];
    }
    if (inside == 0) {
        throw Error(ErrorCode::Problem, "no voxel of the mask " + mask.source +
                                            " lies inside after it was resampled; does it lie "
                                            "elsewhere?");
    }
    if (!mask.weights.empty()) {
        made->weights = std::move(values);
    }
    return made;
}

bool isLength(const base::Geometry& geometry) {
    return geometry.unitSource != base::UnitSource::Missing && geometry.unit != "px";
}

std::string spacingText(const base::Geometry& geometry, bool volume) {
    const std::string sizes = shortest(geometry.spacing[0]) + " x " + shortest(geometry.spacing[1]);
    return (volume ? sizes + " x " + shortest(geometry.spacing[2]) : sizes) + " " + geometry.unit;
}

/// The grid of the scene about the middle of a template of other directions, and how many of its
/// voxels hold all of it.
std::pair<base::Geometry, base::Extents> gridAbout(const base::Geometry& own,
                                                   const base::Extents& extents,
                                                   const base::Geometry& scene, bool flat) {
    base::Geometry grid = scene;
    const filter::VoxelMap map = filter::voxelMap(scene, own); // of the template to the scene
    const auto n = lengthsOf(extents);
    base::Point middle{};
    base::Point size{};
    for (std::size_t b = 0; b < 3; ++b) {
        middle[b] = static_cast<double>(n[b] - 1) / 2;
        for (std::size_t a = 0; a < 3; ++a) {
            size[a] += std::abs(map.matrix[3 * a + b]) * static_cast<double>(n[b]);
        }
    }
    constexpr double kRounding = 1e-6;
    std::array<std::int64_t, 3> counts{};
    base::Point first = map.at(middle); // in voxels of the scene
    for (std::size_t a = 0; a < 3; ++a) {
        counts[a] = flat && a == 2 ? 1
                                   : std::max<std::int64_t>(1, static_cast<std::int64_t>(
                                                                   std::ceil(size[a] - kRounding)));
        first[a] -= static_cast<double>(counts[a] - 1) / 2;
    }
    grid.origin = base::movedTo(scene, first).origin;
    return {grid, {counts[0], counts[1], counts[2]}};
}

/// The grid of an image beside that of its scene: numbers without a unit, as MetaImage files have
/// them, are in the unit of the other one.
base::Geometry comparable(base::Geometry own, const base::Geometry& scene) {
    own.unit = isLength(own) && isLength(scene) ? own.unit : scene.unit;
    return own;
}

bool isFlat(const SceneImage& image) { return base::extentsOf(image.pixels).z == 1; }

/// Resamples a template of oblique directions.
std::shared_ptr<const SceneImage> laidOnGrid(const SceneImage& image, const SceneImage& scene,
                                             const base::Geometry& target,
                                             const std::stop_token& stop) {
    const base::Geometry own = comparable(image.geometry, target);
    const base::Extents before = base::extentsOf(image.pixels);
    const auto [grid, extents] = gridAbout(own, before, target, isFlat(image) && isFlat(scene));
    filter::OnGrid laid = filter::onGrid(base::viewOf(image.pixels), own, grid, extents,
                                         filter::Interpolation::Cubic, stop);
    auto made = factsOf(image);
    made->pixels = std::move(laid.values);
    made->geometry = grid;
    add(made->note, "the template " + image.source + " was resampled in space, by " +
                        fixed(degreesOff(image, scene), 2) + " degrees, from " +
                        base::toString(before) + " to " + base::toString(extents) + " voxels");
    const auto laidMask = [&, &grid = grid, &extents = extents](const MaskImage& mask) {
        return withValues(mask, filter::onGrid(base::viewOf(valuesOf(mask)), own, grid, extents,
                                               filter::Interpolation::Linear, stop)
                                    .values);
    };
    const std::uint8_t* const in = laid.inside.data();
    if (image.inside) {
        made->inside = laidMask(*image.inside);
    } else if (std::find(in, in + laid.inside.count(), std::uint8_t{0}) !=
               in + laid.inside.count()) {
        auto part = std::make_shared<MaskImage>();
        part->support = std::move(laid.inside);
        part->source = "inside of " + image.source;
        made->inside = std::move(part);
        add(made->note, "what it leaves empty in its new box does not count");
    }
    made->opacity = image.opacity ? laidMask(*image.opacity) : nullptr;
    return made;
}

void refuseOblique(const std::string& what, double degrees) {
    throw Error(ErrorCode::Problem,
                "the axes of " + what + " run " + fixed(degrees, 2) +
                    " degrees off those of the scene; --resample brings it to the grid of the "
                    "scene, --ignore-directions compares voxel by voxel");
}

void matchDirections(const Inputs& inputs, TemplateInput& templ, const Job& job,
                     const std::stop_token& stop) {
    const SceneImage& scene = *inputs.scene;
    const auto relation = relationTo(scene, *templ.image);
    if (!relation || job.ignoreDirections) {
        return;
    }
    const std::string source = templ.image->source;
    if (templ.image->channels > 0 && moves(relation->turn, {1, 1, 2})) {
        throw Error(ErrorCode::Problem,
                    "the template " + source +
                        " lies in another plane than the scene, so its channels cannot be turned; "
                        "--ignore-directions compares voxel by voxel");
    }
    if (const auto made = turnedToScene(*templ.image, scene)) {
        templ.change = GridChange{.turn = relation->turn, .from = templ.extents()};
        templ.image = made;
    }
    if (!relation->isOblique()) {
        return;
    }
    if (!job.resample) {
        refuseOblique("the template " + source, degreesOff(*templ.image, scene));
    }
    requireRoom(inputs, extentsOnSceneGrid(*templ.image, scene, inputs.geometry));
    GridChange change = templ.change.value_or(GridChange{.from = templ.extents()});
    change.before = templ.extents();
    change.own = comparable(templ.image->geometry, inputs.geometry);
    templ.image = laidOnGrid(*templ.image, scene, inputs.geometry, stop);
    change.grid = templ.image->geometry;
    templ.change = std::move(change);
}

std::shared_ptr<SceneImage> resampledAlongAxes(const std::shared_ptr<const SceneImage>& templ,
                                               const base::Geometry& grid,
                                               const std::stop_token& stop) {
    const SceneImage& image = *templ;
    auto made = factsOf(image);
    made->finer = templ;
    filter::Resampled resampled =
        filter::resample(base::viewOf(image.pixels), image.geometry, grid, stop);
    made->pixels = std::move(resampled.pixels);
    made->geometry = std::move(resampled.geometry);
    made->opacity = resampledOpacity(image, grid, stop);
    // The middles coincide, half a voxel of the file is another share of one of the scene.
    const base::Point reference = rotation::toReferenceVoxel(base::extentsOf(image.pixels));
    const base::Point ratio = base::spacingRatio(image.geometry, grid);
    made->reference = {reference[0] * ratio[0], reference[1] * ratio[1], reference[2] * ratio[2]};
    return made;
}

/// Resamples a template that states another spacing than the scene, or warns of it.
void matchSpacing(Inputs& inputs, TemplateInput& templ, const Job& job,
                  const std::stop_token& stop) {
    const SceneImage& image = *templ.image;
    const bool volume = !isFlat(*inputs.scene);
    if (!base::spacingsDiffer(image.geometry, inputs.geometry, volume)) {
        return;
    }
    const std::string both = "the template " + image.source + " has the spacing " +
                             spacingText(image.geometry, volume) + ", the scene " +
                             spacingText(inputs.geometry, volume);
    if (!job.resample) {
        inputs.warnings.push_back(both + "; they are compared voxel by voxel; --resample brings "
                                         "the template to the spacing of the scene");
        return;
    }
    const base::Extents before = templ.extents();
    const base::Extents after =
        filter::resampledExtents(before, base::spacingRatio(image.geometry, inputs.geometry));
    requireRoom(inputs, after); // before the memory is taken
    GridChange change = templ.change.value_or(GridChange{.from = before});
    change.before = before;
    change.own = image.geometry;
    inputs.notes.push_back(both + "; it was resampled from " + base::toString(before) + " to " +
                           base::toString(after) + " voxels" +
                           (job.poses.any() ? ", and turned from its own" : ""));
    templ.image = resampledAlongAxes(templ.image, inputs.geometry, stop);
    change.grid = templ.image->geometry;
    templ.change = std::move(change);
}

/// Both: a voxel counts if it counts in both, by the weight of `mask`.
std::shared_ptr<const MaskImage> inBoth(const MaskImage& mask, const MaskImage& other) {
    auto made = std::make_shared<MaskImage>();
    takeFacts(*made, mask);
    made->support = base::Image<std::uint8_t>(mask.support.extents());
    made->weights =
        mask.weights.empty() ? base::Image<double>() : base::Image<double>(mask.support.extents());
    std::int64_t inside = 0;
    for (std::int64_t i = 0; i < made->support.count(); ++i) {
        made->support.data()[i] = mask.support.data()[i] & other.support.data()[i];
        inside += made->support.data()[i];
        if (!mask.weights.empty()) {
            made->weights.data()[i] = made->support.data()[i] * mask.weights.data()[i];
        }
    }
    if (inside == 0) {
        throw Error(ErrorCode::Problem,
                    "no voxel of the mask " + mask.source + " lies inside of " + "its template");
    }
    return made;
}

} // namespace

void bringToScene(Inputs& inputs, TemplateInput& templ, const Job& job,
                  const std::stop_token& stop) {
    matchDirections(inputs, templ, job, stop);
    matchSpacing(inputs, templ, job, stop);
}

namespace {

/// The mask along the axes of the scene.
std::shared_ptr<const MaskImage> turnedWith(const TemplateInput& templ, const Inputs& inputs,
                                            const std::shared_ptr<const MaskImage>& mask,
                                            const Job& job) {
    const auto relation = job.ignoreDirections ? std::nullopt : relationTo(*inputs.scene, *mask);
    const bool asTemplate =
        !mask->directed && templ.change && mask->support.extents() == templ.change->from;
    const AxisTurn turn = relation ? relation->turn : asTemplate ? templ.change->turn : AxisTurn{};
    return turn.isNone() ? mask : turned(*mask, turn, relation.has_value());
}

/// Whether the mask, along those axes, lies on the grid of its template before that was resampled.
bool isResampledWith(const TemplateInput& templ, const MaskImage& mask) {
    return templ.change && templ.change->before.x > 0 &&
           mask.support.extents() == templ.change->before &&
           !(mask.support.extents() == templ.extents() && mask.geometry == templ.change->grid);
}

} // namespace

std::shared_ptr<const MaskImage> beforeResampling(const Inputs& inputs, const TemplateInput& templ,
                                                  const std::shared_ptr<const MaskImage>& mask,
                                                  const Job& job) {
    auto own = turnedWith(templ, inputs, mask, job);
    return templ.image->finer && isResampledWith(templ, *own) ? own : nullptr;
}

std::shared_ptr<const MaskImage> bringToTemplate(const Inputs& inputs, const TemplateInput& templ,
                                                 std::shared_ptr<const MaskImage> mask,
                                                 const Job& job, const std::stop_token& stop) {
    mask = turnedWith(templ, inputs, mask, job);
    if (isResampledWith(templ, *mask)) {
        const GridChange& change = *templ.change;
        const base::AnyImage values = valuesOf(*mask);
        auto made =
            withValues(*mask, filter::onGrid(base::viewOf(values), change.own, change.grid,
                                             templ.extents(), filter::Interpolation::Linear, stop)
                                  .values);
        made->geometry = change.grid;
        add(made->note, "the mask " + mask->source + " was resampled as its template");
        mask = std::move(made);
    }
    return mask;
}

std::shared_ptr<const MaskImage> insideOf(const TemplateInput& templ,
                                          const std::shared_ptr<const MaskImage>& mask) {
    const auto& inside = templ.image->inside;
    const bool cut = mask && inside && mask->support.extents() == inside->support.extents();
    return cut ? inBoth(*mask, *inside) : mask ? mask : inside;
}

std::shared_ptr<const MaskImage> bringToScene(Inputs& inputs, std::shared_ptr<const MaskImage> mask,
                                              const Job& job, const std::stop_token& stop) {
    const auto relation =
        mask && !job.ignoreDirections ? relationTo(*inputs.scene, *mask) : std::nullopt;
    if (!relation) {
        return mask;
    }
    const std::string name = "the mask of the scene " + mask->source;
    const base::Extents scene = base::extentsOf(inputs.scene->pixels);
    if (!relation->turn.isNone()) {
        mask = turned(*mask, relation->turn, true);
    }
    const base::Geometry own = comparable(mask->geometry, inputs.scene->geometry);
    // Where the outermost voxels of the mask lie, in voxels of the scene.
    const filter::VoxelMap map = filter::voxelMap(inputs.scene->geometry, own);
    const auto n = lengthsOf(mask->support.extents());
    double off = 0;
    for (unsigned corner = 0; corner < 8; ++corner) {
        base::Point voxel{};
        for (std::size_t a = 0; a < 3; ++a) {
            voxel[a] = (corner >> a & 1U) != 0 ? static_cast<double>(n[a] - 1) : 0;
        }
        const base::Point place = map.at(voxel);
        for (std::size_t a = 0; a < 3; ++a) {
            off = std::max(off, std::abs(place[a] - voxel[a]));
        }
    }
    constexpr double kHalf = 0.5; // voxels
    const bool fits = mask->support.extents() == scene;
    if (off <= kHalf && fits && !relation->isOblique()) {
        return mask;
    }
    if (job.resample) {
        const base::AnyImage values = valuesOf(*mask);
        auto made =
            withValues(*mask, filter::onGrid(base::viewOf(values), own, inputs.scene->geometry,
                                             scene, filter::Interpolation::Linear, stop)
                                  .values);
        made->geometry = inputs.scene->geometry;
        add(made->note, name + " was resampled in space to the grid of the scene");
        return made;
    }
    if (relation->isOblique()) {
        refuseOblique("the mask " + mask->source, relation->left * 180 / std::numbers::pi);
    }
    if (fits) {
        inputs.warnings.push_back(name + " lies elsewhere than the scene by its header, by up to " +
                                  fixed(off, 1) +
                                  " voxels; they are compared voxel by voxel; --resample brings it "
                                  "to the grid of the scene");
    }
    return mask; // requireSameExtents() tells of extents
}

} // namespace detail

std::shared_ptr<const SceneImage> turnedToScene(const SceneImage& image, const SceneImage& scene) {
    const auto relation = detail::relationTo(scene, image);
    if (!relation || relation->turn.isNone()) {
        return nullptr;
    }
    const detail::AxisTurn& turn = relation->turn;
    const base::Extents extents = base::extentsOf(image.pixels);
    auto made = detail::factsOf(image);
    made->pixels = detail::turnedPixels(base::viewOf(image.pixels), turn);
    made->geometry = detail::turnedGeometry(image.geometry, extents, turn);
    made->opacity = image.opacity ? detail::turned(*image.opacity, turn, false) : nullptr;
    made->inside = image.inside ? detail::turned(*image.inside, turn, false) : nullptr;
    if (detail::moves(turn, extents)) {
        detail::add(made->note, detail::turnNote(image.source, turn));
    }
    return made;
}

std::shared_ptr<const MaskImage> turnedToScene(const MaskImage& mask, const SceneImage& scene,
                                               const SceneImage* stored) {
    const bool asTemplate = !mask.directed && stored != nullptr &&
                            mask.support.extents() == base::extentsOf(stored->pixels);
    const auto relation =
        asTemplate ? detail::relationTo(scene, *stored) : detail::relationTo(scene, mask);
    return relation && !relation->turn.isNone() ? detail::turned(mask, relation->turn, true)
                                                : nullptr;
}

double degreesOff(const SceneImage& image, const SceneImage& scene) {
    const auto relation = detail::relationTo(scene, image);
    return relation && relation->isOblique() ? relation->left * 180 / std::numbers::pi : 0;
}

base::Extents extentsOnSceneGrid(const SceneImage& templ, const SceneImage& scene,
                                 const base::Geometry& grid) {
    const base::Extents extents = base::extentsOf(templ.pixels);
    return degreesOff(templ, scene) > 0
               ? detail::gridAbout(detail::comparable(templ.geometry, grid), extents, grid,
                                   detail::isFlat(templ) && detail::isFlat(scene))
                     .second
               : filter::resampledExtents(extents, base::spacingRatio(templ.geometry, grid));
}

std::shared_ptr<const SceneImage> onSceneGrid(const std::shared_ptr<const SceneImage>& templ,
                                              const SceneImage& scene, const base::Geometry& grid,
                                              const std::stop_token& stop) {
    return degreesOff(*templ, scene) > 0 ? detail::laidOnGrid(*templ, scene, grid, stop)
                                         : detail::resampledAlongAxes(templ, grid, stop);
}

} // namespace flcc::job
