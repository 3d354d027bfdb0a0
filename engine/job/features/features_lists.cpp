#include <string>

#include "engine/io/list_file.h"
#include "engine/job/features.h"
#include "engine/job/report/text.h"

namespace flcc::job {

using detail::shortest;

namespace {

/// The blobs with all that lists of any format write.
io::PositionList blobList(const FeaturesResult& result) {
    io::PositionList list;
    list.noun = "blob";
    list.scoreName = "strength";
    list.place = {.scene = result.job.scene.string(),
                  .sha256 = result.inputs.empty() ? "" : result.inputs.front().sha256,
                  .extents = result.extents,
                  .geometry = result.geometry,
                  .unknowns = {}};
    list.comments = {
        "x y z: centre in voxels; indices start at 0; x is fastest in memory; the centre of voxel "
        "i lies on i",
        std::string("sigma: scale in ") + unitOfSizes(result) + "; radius: " +
            (result.extents.z > 1 ? "sqrt(3)" : "sqrt(2)") + " sigma; strength: in values"};
    list.columns = io::blobColumns();
    for (const features::Blob& blob : result.detection.blobs) {
        const base::Point world = base::toWorld(result.geometry, blob.centre);
        io::ListedPosition& position = list.positions.emplace_back();
        position.centre = blob.centre;
        position.score = blob.strength;
        const auto along = [&](std::size_t axis) {
            return io::boxOfRadius(blob.radius / blob.edges[axis], result.extents.z == 1);
        };
        position.box = {along(0).x, along(1).y, along(2).z};
        position.cells.push_back(std::to_string(list.positions.size()));
        for (const double value : {blob.strength, blob.centre[0], blob.centre[1], blob.centre[2],
                                   blob.sigma, blob.radius, world[0], world[1], world[2]}) {
            position.cells.push_back(shortest(value));
        }
    }
    return list;
}

} // namespace

std::string pairsAsText(const FeaturesResult& result, char separator) {
    const auto cell = [&](double value) { return separator + shortest(value); };
    std::string text = "# FLCC pairs of blobs\n# image a: " +
                       io::commentText(result.job.scene.string(), separator) + " (" +
                       base::toString(result.extents) + " voxels)\n# image b: " +
                       io::commentText(result.job.match.string(), separator) + " (" +
                       base::toString(result.matchExtents) + " voxels)\n";
    text += "# score: LCC of the patches around both blobs; a: centre of the blob, b: where it "
            "lies best, voxels, indices start at 0; sigma in voxels; ratio: bsigma / asigma; turn: "
            "degrees from a to b, from "
            "x to y, to the next 10\n";
    bool first = true;
    for (const char* name : {"rank", "score", "ax", "ay", "az", "bx", "by", "bz", "asigma",
                             "bsigma", "ratio", "turn"}) {
        text += (first ? "" : std::string(1, separator)) + name;
        first = false;
    }
    text += "\n";
    std::size_t rank = 0;
    for (const features::Pair& pair : result.pairs) {
        const features::Blob& a = result.detection.blobs[pair.a];
        const features::Blob& b = result.matchDetection.blobs[pair.b];
        text += std::to_string(++rank);
        for (const double value :
             {pair.score, a.centre[0], a.centre[1], a.centre[2], pair.place[0], pair.place[1],
              pair.place[2], a.sigma, b.sigma, b.sigma / a.sigma, pair.turn}) {
            text += cell(value);
        }
        text += "\n";
    }
    return text;
}

std::string blobsAsText(const FeaturesResult& result, io::ListFormat format) {
    return io::listText(blobList(result), format);
}

void writeBlobs(const io::AtomicFile& file, const FeaturesResult& result, io::ListFormat format) {
    io::writeList(file, blobList(result),
                  io::chosenListFormat(format, file.target(), "--blobs-format"));
}

} // namespace flcc::job
