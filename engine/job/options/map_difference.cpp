#include "engine/job/difference.h"

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/status.h"
#include "engine/io/list_file.h"
#include "engine/io/protected_files.h"
#include "engine/job/options/option_kinds.h"
#include "engine/job/options/option_table.h"
#include "engine/job/report/json_rows.h"
#include "engine/job/report/memory_errors.h"
#include "engine/job/report/text.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;
using detail::shortest;
using detail::json::Json;
using std::filesystem::path;

namespace {

const detail::OptionTable<MapDifference>& mapTable() {
    using namespace detail::kinds;
    static const detail::OptionTable<MapDifference> kTable(
        {.name = "diff of two images"},
        {numberOption<MapDifference>(
             "tolerance", "V", "of two images: largest difference of two values that are equal (0)",
             &MapDifference::tolerance, 0),
         fileOption<MapDifference>("output", "FILE",
                                   "of two images: A - B as an image: .mha .nrrd .nii .nii.gz "
                                   ".mrc .tif .h5",
                                   &MapDifference::output),
         fileOption<MapDifference>("report", "FILE.json", "of two images: the comparison",
                                   &MapDifference::report),
         indexOption<MapDifference>("channel", "N", "channel of images with several, from 0",
                                    &MapDifference::channel),
         indexOption<MapDifference>("frame", "N", "frame of images with several, from 0",
                                    &MapDifference::frame),
         indexOption<MapDifference>(
             "image", "N", "image of TIFF files with several, from 0",
             [](auto&& difference) -> auto& { return difference.reading.image; }),
         wordOption<MapDifference>(
             "orientation", "whether pictures are turned as their files say", {"applied", "stored"},
             [](const MapDifference& difference) {
                 return difference.reading.orientation == io::Orientation::Stored ? "stored"
                                                                                  : "applied";
             },
             [](MapDifference& difference, const std::string& text) {
                 difference.reading.orientation =
                     text == "stored" ? io::Orientation::Stored : io::Orientation::Applied;
             })});
    return kTable;
}

io::LoadedImage read(const MapDifference& difference, const path& file,
                     const std::stop_token& stop) {
    return io::readImage(file, {.channel = difference.channel,
                                .frame = difference.frame,
                                .stop = stop,
                                .reading = difference.reading});
}

/// Says where images of the same voxels lie in other places.
void noteGeometry(const io::LoadedImage& a, const io::LoadedImage& b,
                  std::vector<std::string>& notes) {
    const base::Geometry& one = a.info.geometry;
    const base::Geometry& other = b.info.geometry;
    std::string what;
    const auto add = [&](bool differs, const char* word) {
        what += differs ? (what.empty() ? "" : ", ") + std::string(word) : "";
    };
    add(one.spacing != other.spacing, "spacing");
    add(one.unit != other.unit, "unit");
    add(one.origin != other.origin, "origin");
    add(one.direction != other.direction, "direction");
    if (!what.empty()) {
        notes.push_back("A and B state another " + what +
                        "; their voxels are compared by index, whatever their places");
    }
}

void writeDifference(const MapDifference& difference, const io::LoadedImage& a,
                     const io::LoadedImage& b, ComparedMaps& maps, const std::stop_token& stop) {
    const base::AnyView viewA = base::viewOf(a.components.front());
    const base::AnyImage pixels =
        match::differenceMap(viewA, base::viewOf(b.components.front()), stop);
    const auto notes =
        io::writeImage(difference.output, base::viewOf(pixels), a.info.geometry, {}, stop);
    maps.cancelled = !notes;
    if (notes) {
        maps.notes.insert(maps.notes.end(), notes->begin(), notes->end());
    }
}

/// **Errors**: CommandLine for an output that is an input, or cannot hold the difference.
void requireOutputs(const MapDifference& difference) {
    io::ProtectedFiles inputs;
    inputs.addImage(difference.a);
    inputs.addImage(difference.b);
    for (const path* const file : {&difference.output, &difference.report}) {
        if (!file->empty()) {
            inputs.requireOther(*file);
        }
    }
}

ComparedMaps compared(const MapDifference& difference, const std::stop_token& stop) {
    ComparedMaps maps;
    maps.nameA = difference.a.string();
    maps.nameB = difference.b.string();
    maps.tolerance = difference.tolerance;
    requireOutputs(difference);
    const io::LoadedImage a = read(difference, difference.a, stop);
    const io::LoadedImage b = read(difference, difference.b, stop);
    maps.cancelled = a.components.empty() || b.components.empty();
    if (maps.cancelled) {
        return maps;
    }
    if (a.components.size() != b.components.size()) {
        throw Error(ErrorCode::Problem,
                    "A has " + std::to_string(a.components.size()) + " colour components and B " +
                        std::to_string(b.components.size()) +
                        "; only images with as many components can be compared");
    }
    maps.extents = a.info.extents;
    if (!difference.output.empty()) {
        if (a.components.size() > 1) {
            throw Error(ErrorCode::CommandLine,
                        "--output holds one difference a voxel, but A and B have " +
                            std::to_string(a.components.size()) +
                            " colour components; leave out --output");
        }
        io::requireWritable(difference.output, base::PixelType::Float32, maps.extents);
    }
    noteGeometry(a, b, maps.notes);
    for (std::size_t i = 0; i < a.components.size() && !maps.cancelled; ++i) {
        maps.components.push_back(match::compareMaps(base::viewOf(a.components[i]),
                                                     base::viewOf(b.components[i]),
                                                     difference.tolerance, stop));
        maps.cancelled = maps.components.back().cancelled;
    }
    if (!maps.cancelled && !difference.output.empty()) {
        writeDifference(difference, a, b, maps, stop);
    }
    if (!maps.cancelled && !difference.report.empty()) {
        io::writeText(difference.report, mapsJson(maps));
    }
    return maps;
}

std::string statusName(int value) {
    return std::string(base::name(static_cast<base::Status>(value)));
}

std::string componentText(const match::MapComparison& found, double tolerance) {
    const std::string by = tolerance > 0 ? " by more than " + shortest(tolerance) : "";
    std::string text = std::to_string(found.differing) + " of " + std::to_string(found.voxels) +
                       " voxels differ" + by;
    if (found.where) {
        text += ", all of them in " + base::toString(*found.where);
    }
    text += "\n";
    if (found.greatest > 0) {
        text += "greatest difference " + shortest(found.greatest) + " at voxel " +
                base::toString(found.greatestAt) + ": A " + shortest(found.a) + ", B " +
                shortest(found.b) + "\n";
        text += "RMS of A - B " + shortest(found.rms) + ", mean " + shortest(found.mean);
        text += found.correlation ? ", correlation " + shortest(*found.correlation) + "\n" : "\n";
    }
    if (found.nanBoth + found.nanOnlyA + found.nanOnlyB > 0) {
        text += "NaN: " + std::to_string(found.nanBoth) + " in both, " +
                std::to_string(found.nanOnlyA) + " only in A, " + std::to_string(found.nanOnlyB) +
                " only in B\n";
    }
    if (found.infinite > 0) {
        text += "infinities of one image alone: " + std::to_string(found.infinite) + "\n";
    }
    for (const match::ValueChange& change : found.changes) {
        text += "as statuses: " + statusName(change.a) + " in A is " + statusName(change.b) +
                " in B: " + std::to_string(change.voxels) + "\n";
    }
    return text;
}

Json componentJson(const match::MapComparison& found) {
    Json changes = Json::array();
    for (const match::ValueChange& change : found.changes) {
        changes.push_back({{"a", change.a},
                           {"b", change.b},
                           {"a_status", statusName(change.a)},
                           {"b_status", statusName(change.b)},
                           {"voxels", change.voxels}});
    }
    Json greatest = nullptr;
    if (found.greatest > 0) {
        greatest = {{"difference", found.greatest},
                    {"voxel", detail::json::toJson(found.greatestAt)},
                    {"a", found.a},
                    {"b", found.b}};
    }
    return {
        {"same", found.same()},
        {"voxels", found.voxels},
        {"differing", found.differing},
        {"where", found.where ? detail::json::toJson(*found.where) : Json(nullptr)},
        {"greatest", greatest},
        {"rms", found.rms},
        {"mean", found.mean},
        {"finite", found.finite},
        {"correlation", detail::json::orNull(found.correlation)},
        {"nan", {{"both", found.nanBoth}, {"only_a", found.nanOnlyA}, {"only_b", found.nanOnlyB}}},
        {"infinite", found.infinite},
        {"status_changes", changes}};
}

} // namespace

bool ComparedMaps::same() const {
    return std::ranges::all_of(components, &match::MapComparison::same);
}

bool areImages(const path& a, const path& b) {
    const auto isImage = [](const path& file) {
        return !io::hasListName(file) && io::isImage(file);
    };
    const bool imageA = isImage(a);
    if (imageA != isImage(b)) {
        throw Error(ErrorCode::Problem, (imageA ? a : b).string() + " is an image, but " +
                                            (imageA ? b : a).string() +
                                            " is none; give two images, or two lists of positions");
    }
    return imageA;
}

ComparedMaps diffMaps(const MapDifference& difference, const std::stop_token& stop) {
    return detail::withMemoryErrors("both images", "compare parts of them",
                                    [&] { return compared(difference, stop); });
}

std::string mapsText(const ComparedMaps& maps) {
    std::string text = (maps.same() ? "the same: A (" : "different: A (") + maps.nameA + "), B (" +
                       maps.nameB + "), " + base::toString(maps.extents) +
                       (maps.tolerance > 0 ? ", within " + shortest(maps.tolerance) : "") + "\n";
    for (std::size_t i = 0; i < maps.components.size(); ++i) {
        text += maps.components.size() > 1 ? "component " + std::to_string(i) + ": " : "";
        text += componentText(maps.components[i], maps.tolerance);
    }
    return text;
}

std::string mapsJson(const ComparedMaps& maps) {
    Json components = Json::array();
    for (const match::MapComparison& found : maps.components) {
        components.push_back(componentJson(found));
    }
    return detail::json::fileText({{"a", maps.nameA},
                                   {"b", maps.nameB},
                                   {"same", maps.same()},
                                   {"tolerance", maps.tolerance},
                                   {"extents", detail::json::toJson(maps.extents)},
                                   {"components", components},
                                   {"notes", maps.notes}});
}

std::vector<CommandOption> mapDifferenceOptions() { return mapTable().options(); }

void setMapDifferenceOptions(MapDifference& difference, const GivenOptions& given) {
    mapTable().set(difference, given);
}

} // namespace flcc::job
