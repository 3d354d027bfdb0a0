#include <algorithm>
#include <memory>

#include "engine/base/error.h"
#include "engine/io/image_file.h"
#include "engine/job/boxes.h"
#include "engine/job/options/export_options.h"
#include "engine/job/peak_lists.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;
using std::filesystem::path;

namespace {

using Files = std::vector<std::unique_ptr<io::AtomicFile>>;

void addBoxes(Files& files, const path& target, const base::Image<float>& boxes,
              const base::Geometry& scene, ConvertedList& done) {
    if (!target.empty()) {
        files.push_back(std::make_unique<io::AtomicFile>(target));
        for (const std::string& note :
             writeBoxes(*files.back(), boxes.view(), scene).value_or(std::vector<std::string>{})) {
            done.notes.push_back(target.filename().string() + ": " + note);
        }
    }
}

/// Cuts boxes from the scene at the positions and writes them.
void cutBoxes(const ListConversion& conversion, const io::PositionList& list, ConvertedList& done,
              Files& files) {
    const Exports& asked = conversion.exports;
    std::vector<match::Peak> places;
    base::Extents largest{0, 0, 0};
    for (const io::ListedPosition& position : list.positions) {
        match::Peak& place = places.emplace_back();
        place.centre = position.centre;
        const base::Extents& box = position.box;
        largest = {std::max(largest.x, box.x), std::max(largest.y, box.y),
                   std::max(largest.z, box.z)};
    }
    if (!asked.size && largest.x == 0) {
        throw Error(ErrorCode::CommandLine,
                    "the list does not state the size of its boxes; add --stack-size N or "
                    "NxN[xN]");
    }
    const io::ScalarImage scene = io::toScalar(io::readImage(conversion.scene));
    const base::AnyView voxels = base::viewOf(scene.pixels);
    const match::PanelOptions options{
        .size = boxSize(asked.size, largest, base::extentsOf(scene.pixels)),
        .normalise = asked.normalise,
        .subvoxel = asked.subvoxel};
    const base::Geometry& geometry = list.place.geometry;
    if (!asked.stack.empty()) {
        const match::Panels panels = match::cutPanels(voxels, places, options);
        if (panels.taken.empty()) {
            throw Error(ErrorCode::Problem, "no position has its box of " +
                                                base::toString(options.size) +
                                                " voxels inside the scene");
        }
        done.stack = reportOf(panels, options);
        done.stack->file = asked.stack.string();
        addBoxes(files, asked.stack, panels.voxels, geometry, done);
    }
    if (!asked.average.empty() || !asked.averageVariance.empty()) {
        const match::Average average = match::averageOf(voxels, places, options);
        done.average = reportOf(average, options, geometry);
        done.average->file =
            (asked.average.empty() ? asked.averageVariance : asked.average).string();
        addBoxes(files, asked.average, floatsOf(average.mean), geometry, done);
        addBoxes(files, asked.averageVariance, floatsOf(average.variance), geometry, done);
    }
}

void requireBoxes(const ListConversion& conversion, const io::ProtectedFiles& inputs) {
    const Exports& asked = conversion.exports;
    detail::requireBoxFiles(asked);
    if (asked.hasBoxes() && conversion.scene.empty()) {
        throw Error(ErrorCode::CommandLine,
                    "boxes are cut from the scene; add --scene FILE, the image that was searched");
    }
    for (const path* file : {&asked.stack, &asked.average, &asked.averageVariance}) {
        if (!file->empty()) {
            inputs.requireOther(*file);
            io::requireWritable(*file, base::PixelType::Float32, {2, 2, 1});
        }
    }
}

} // namespace

ConvertedList convertList(const ListConversion& conversion) {
    io::ProtectedFiles inputs;
    inputs.add(conversion.input);
    inputs.add(conversion.scene);
    if (!conversion.output.empty()) {
        inputs.requireOther(conversion.output);
    }
    requireBoxes(conversion, inputs);
    ConvertedList done;
    const bool unnamed = conversion.output.empty() && conversion.to == io::ListFormat::Auto;
    done.to = unnamed ? io::ListFormat::Csv
                      : io::chosenListFormat(conversion.to, conversion.output, "--to");
    io::ListPlace place{};
    place.scene = conversion.scene.string();
    place.unknowns = conversion.unknowns;
    if (!conversion.scene.empty()) {
        const io::ImageInfo info = io::readImageInfo(conversion.scene);
        place.extents = info.extents;
        place.geometry = info.geometry;
    }
    io::PositionList list = io::readList(conversion.input, conversion.from, place);
    done.from = list.format;
    if (!conversion.scene.empty() && list.place.extents != place.extents) {
        throw Error(ErrorCode::Problem,
                    "the list belongs to a scene of " + base::toString(list.place.extents) +
                        " voxels, but --scene has " + base::toString(place.extents));
    }
    if (!conversion.only.empty()) {
        io::leaveDecided(list, conversion.only);
    }
    done.positions = list.positions.size();
    Files files;
    if (conversion.exports.hasBoxes()) {
        cutBoxes(conversion, list, done, files);
    }
    if (!unnamed || !conversion.exports.hasBoxes()) {
        const std::vector<std::string> notes = io::listNotes(list, done.to);
        done.notes.insert(done.notes.end(), notes.begin(), notes.end());
        done.text = io::listText(list, done.to);
    }
    if (!conversion.output.empty()) {
        files.push_back(std::make_unique<io::AtomicFile>(conversion.output));
        io::writeList(*files.back(), list, done.to);
    }
    io::AtomicFile::commitAll(files);
    return done;
}

} // namespace flcc::job
