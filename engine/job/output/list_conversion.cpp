#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "engine/base/error.h"
#include "engine/io/image_file.h"
#include "engine/io/protected_files.h"
#include "engine/job/boxes.h"
#include "engine/job/difference.h"
#include "engine/job/input/inputs.h"
#include "engine/job/job.h"
#include "engine/job/options/export_options.h"
#include "engine/job/output/averages.h"
#include "engine/job/peak_lists.h"
#include "engine/job/report/memory_errors.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;
using base::Extents;
using std::filesystem::path;

namespace {

/// The file of the scene: the one that was named, else the one that the list states.
path sceneFileOf(const ListConversion& conversion, const io::PositionList& list) {
    if (!conversion.scene.empty()) {
        return conversion.scene;
    }
    std::error_code error;
    if (list.place.scene.empty() || !std::filesystem::exists(list.place.scene, error)) {
        throw Error(ErrorCode::Problem,
                    base::Message("stack-without-scene",
                                  "boxes are cut from the scene, which the list does not "
                                  "name or which is not there; give {--scene FILE}"));
    }
    return list.place.scene;
}

/// The scene that the positions lie in; null if cancelled.
std::shared_ptr<const SceneImage> sceneOf(const ListConversion& conversion,
                                          const io::PositionList& list,
                                          const std::stop_token& stop) {
    const path file = sceneFileOf(conversion, list);
    io::ProtectedFiles scenes;
    scenes.addImage(file);
    const Exports& asked = conversion.exports;
    for (const path* output :
         {&conversion.output, &asked.stack, &asked.average, &asked.averageVariance}) {
        if (!output->empty()) {
            scenes.requireOther(*output);
        }
    }
    auto scene = loadImage(file, conversion.channel, conversion.frame, stop);
    if (!scene) {
        return scene;
    }
    const Extents& stated = list.place.extents;
    if (stated.x > 0 && stated != scene->extents()) {
        throw Error(ErrorCode::Problem, "the list belongs to a scene of " + base::toString(stated) +
                                            " voxels, but " + file.string() + " has " +
                                            base::toString(scene->extents()));
    }
    if (!list.place.sha256.empty() && !scene->sha256.empty() &&
        list.place.sha256 != scene->sha256) {
        throw Error(ErrorCode::Problem,
                    file.string() + " is not the scene of the list: their SHA-256 differ");
    }
    return scene;
}

/// Frames of a stack are scenes of their own, and positions do not say which.
void requireOneScene(const io::PositionList& list) {
    for (const io::ListColumn& column : list.columns) {
        if (column.name == "frame" || column.name == "scene" || column.name == "file") {
            throw Error(ErrorCode::Problem, "boxes are cut from one scene, but the list has "
                                            "positions of several (column " +
                                                column.name + ")");
        }
    }
}

/// **Errors**: Problem where the list states boxes of another size than `--box`.
void requireStatedBoxes(const io::PositionList& list, const ListConversion& conversion) {
    const Extents given = conversion.unknowns.box.value_or(Extents{0, 0, 0});
    for (const io::ListedPosition& position : list.positions) {
        const Extents& box = position.box;
        const bool deep = given.z > 1 && box.z > 1;
        if (given.x > 0 && box.x > 0 &&
            (box.x != given.x || box.y != given.y || (deep && box.z != given.z))) {
            throw Error(ErrorCode::Problem, conversion.input.string() + " states boxes of " +
                                                base::toString(box) + " voxels, but --box says " +
                                                base::toString(given) + "; leave out --box");
        }
    }
}

/// Where boxes are cut: at the positions of a list.
struct Places {
    std::vector<match::Peak> peaks; ///< of each position a template of its own
    std::vector<base::Point> references;
    Extents largest{0, 0, 0};
};

Extents largerOf(const Extents& a, const Extents& b) {
    return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
}

Places placesOf(const io::PositionList& list) {
    Places places;
    for (const io::ListedPosition& position : list.positions) {
        match::Peak& place = places.peaks.emplace_back();
        place.centre = position.centre;
        place.templ = static_cast<int>(places.references.size());
        places.references.push_back(
            position.reference.value_or(rotation::toReferenceVoxel(position.box)));
        if (const rotation::Pose pose = io::poseOf(position); pose != rotation::Pose{}) {
            place.pose = pose;
        }
        places.largest = largerOf(places.largest, position.box);
    }
    return places;
}

/// The templates that the list states, each with its positions and the size of its boxes; one for
/// all positions of a list without templates.
std::vector<detail::AveragedTemplate> averagedTemplates(const io::PositionList& list,
                                                        const Exports& asked,
                                                        const Extents& largest,
                                                        const Extents& scene) {
    const io::ListedTemplates stated = io::templatesOf(list).value_or(
        io::ListedTemplates{{0}, std::vector<int>(list.positions.size(), 0)});
    std::vector<detail::AveragedTemplate> templates;
    for (const int number : stated.numbers) {
        detail::AveragedTemplate& templ = templates.emplace_back();
        templ.number = number;
        for (std::size_t i = 0; i < stated.of.size(); ++i) {
            if (stated.of[i] == number) {
                templ.peaks.push_back(i);
                templ.size = largerOf(templ.size, list.positions[i].box);
            }
        }
        templ.size = boxSize(asked.size, templ.size.x > 0 ? templ.size : largest, scene);
    }
    return templates;
}

/// The averages of several templates have names that are known only now.
void requireAverageFiles(const Exports& asked,
                         const std::vector<detail::AveragedTemplate>& templates,
                         const ListConversion& conversion, const path& scene) {
    if (templates.size() < 2) {
        return;
    }
    io::ProtectedFiles inputs;
    inputs.add(conversion.input);
    inputs.addImage(scene);
    std::vector<path> outputs{conversion.output, asked.stack};
    for (const detail::AveragedTemplate& templ : templates) {
        outputs.push_back(averageFile(asked.averageVariance, templ.number));
        outputs.push_back(averageFile(asked.average, templ.number));
        if (!asked.average.empty()) {
            outputs.push_back(madeOfFile(outputs.back()));
        }
    }
    std::erase_if(outputs, [](const path& file) { return file.empty(); });
    detail::requireOwnOutputs(inputs, outputs);
}

/// False if cancelled.
bool cutStack(const Exports& asked, const base::AnyView& voxels, const Places& places,
              const match::PanelOptions& options, const base::Geometry& geometry,
              detail::OutputFiles& files, ConvertedList& done, const std::stop_token& stop) {
    const match::Panels panels = match::cutPanels(voxels, places.peaks, options, stop);
    if (stop.stop_requested()) {
        return false;
    }
    const auto members = static_cast<std::int64_t>(panels.taken.size());
    done.stack = reportOf(panels, options);
    done.stack->file = asked.stack.string();
    noteLeftOut(*done.stack, done.notes);
    if (members == 0) {
        detail::withdrawBoxes(files, asked.stack, "no peak", done.notes);
        return true;
    }
    return detail::addBoxes(files, asked.stack, panels.voxels, members, geometry, done.notes, stop);
}

/// Cuts boxes from the scene at the positions and adds their files; false if cancelled.
bool cutBoxes(const ListConversion& conversion, const io::PositionList& list,
              detail::OutputFiles& files, ConvertedList& done, const std::stop_token& stop) {
    const Exports& asked = conversion.exports;
    requireOneScene(list);
    const std::shared_ptr<const SceneImage> scene = sceneOf(conversion, list, stop);
    if (!scene) {
        return false;
    }
    const Places places = placesOf(list);
    if (!asked.size && places.largest.x == 0) {
        throw Error(ErrorCode::Problem,
                    base::Message("stack-without-size",
                                  "the list does not state the size of its boxes; give "
                                  "{--stack-size N}"));
    }
    const match::PanelOptions options{.size = boxSize(asked.size, places.largest, scene->extents()),
                                      .normalise = asked.normalise,
                                      .subvoxel = asked.subvoxel || asked.turned,
                                      .turnedBack = asked.turned,
                                      .references = places.references,
                                      .edges = list.place.geometry.spacing};
    const base::AnyView voxels = base::viewOf(scene->pixels);
    if (!asked.stack.empty() &&
        !cutStack(asked, voxels, places, options, scene->geometry, files, done, stop)) {
        return false;
    }
    if (!detail::hasAverage(asked)) {
        return true;
    }
    const detail::AverageSource source{
        .scene = voxels,
        .sceneSource = scene->source,
        .geometry = scene->geometry,
        .peaks = places.peaks,
        .templates = averagedTemplates(list, asked, places.largest, scene->extents()),
        .options = options};
    requireAverageFiles(asked, source.templates, conversion, sceneFileOf(conversion, list));
    auto made = detail::makeAverages(asked, source, &files, done.notes, stop);
    if (made) {
        done.averages = std::move(*made);
    }
    return made.has_value();
}

/// Outputs that cannot be written are refused before anything is read.
void requireOutputs(const ListConversion& conversion) {
    io::ProtectedFiles inputs;
    inputs.add(conversion.input);
    inputs.addImage(conversion.scene);
    const Exports& asked = conversion.exports;
    detail::requireBoxFiles(asked);
    std::vector<path> outputs{conversion.output, asked.stack, asked.average, asked.averageVariance};
    if (!asked.average.empty()) {
        outputs.push_back(madeOfFile(asked.average));
    }
    std::erase_if(outputs, [](const path& file) { return file.empty(); });
    detail::requireOwnOutputs(inputs, outputs);
    for (const path* file : {&asked.stack, &asked.average, &asked.averageVariance}) {
        if (!file->empty()) {
            io::requireWritable(*file, base::PixelType::Float32,
                                {2, 2, file == &asked.stack ? 2 : 1});
        }
    }
}

ConvertedList converted(const ListConversion& conversion, const std::stop_token& stop) {
    requireOutputs(conversion);
    ConvertedList done;
    const bool printed = conversion.output.empty() && conversion.to == io::ListFormat::Auto;
    done.to = printed ? io::ListFormat::Csv
                      : io::chosenListFormat(conversion.to, conversion.output, "--to");
    io::ListPlace place{};
    place.scene = conversion.scene.string();
    place.unknowns = conversion.unknowns;
    if (!conversion.scene.empty()) {
        const io::ImageInfo info = io::readImageInfo(conversion.scene);
        place.extents = info.extents;
        place.geometry = info.geometry;
    }
    io::PositionList list = readPositions(conversion.input, conversion.from, place);
    done.from = list.format;
    requireStatedBoxes(list, conversion);
    if (!conversion.scene.empty() && list.place.extents != place.extents) {
        throw Error(ErrorCode::Problem,
                    "the list belongs to a scene of " + base::toString(list.place.extents) +
                        " voxels, but --scene has " + base::toString(place.extents));
    }
    requireSameSpacing(list, place.geometry, conversion.input.string());
    if (!conversion.only.empty()) {
        io::leaveDecided(list, conversion.only);
    }
    done.positions = list.positions.size();
    detail::OutputFiles files;
    if (conversion.exports.hasBoxes() && !cutBoxes(conversion, list, files, done, stop)) {
        done.cancelled = true;
        return done;
    }
    if (done.stack) {
        io::addStackColumn(list, done.stack->ranks);
    }
    // Who asks for boxes alone does not ask for the list.
    if (!printed || !conversion.exports.hasBoxes()) {
        const std::vector<std::string> notes = io::listNotes(list, done.to);
        done.notes.insert(done.notes.begin(), notes.begin(), notes.end());
        done.text = io::listText(list, done.to);
    }
    if (!conversion.output.empty()) {
        (void)files.add(conversion.output, [&](const io::AtomicFile& file) {
            io::writeList(file, list, done.to);
            return true;
        });
    }
    files.commit();
    return done;
}

} // namespace

ConvertedList convertList(const ListConversion& conversion, const std::stop_token& stop) {
    return detail::withMemoryErrors("the boxes", "choose fewer positions or smaller boxes",
                                    [&] { return converted(conversion, stop); });
}

} // namespace flcc::job
