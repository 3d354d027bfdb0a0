#include <array>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/io/peak_file.h"
#include "engine/job/features.h"
#include "engine/job/report/text.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;
using detail::shortest;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::array<std::pair<std::string_view, BlobFormat>, 6> kFormats{
    {{"auto", BlobFormat::Auto},
     {"csv", BlobFormat::Csv},
     {"tsv", BlobFormat::Tsv},
     {"json", BlobFormat::Json},
     {"imagej", BlobFormat::ImageJ},
     {"slicer", BlobFormat::Slicer}}};

constexpr std::array<std::string_view, 10> kColumns{"rank",  "strength", "x",  "y",  "z",
                                                    "sigma", "radius",   "wx", "wy", "wz"};

std::string pointText(const base::Point& point) {
    return shortest(point[0]) + " " + shortest(point[1]) + " " + shortest(point[2]);
}

/// A text for a comment line: no separator that would end a cell, no quotes.
std::string commentText(const std::string& text, char separator) {
    std::string line = base::oneLine(text);
    for (char& letter : line) {
        letter = letter == separator || letter == '"' ? ' ' : letter;
    }
    return line;
}

std::string comments(const FeaturesResult& result, char separator) {
    const base::Geometry geometry = base::asStated(result.geometry);
    std::string lines =
        "# FLCC blobs\n# image: " + commentText(result.job.scene.string(), separator) + " (" +
        base::toString(result.extents) + " voxels)\n";
    lines += "# x y z: centre in voxels; indices start at 0; x is fastest in memory; the centre of "
             "voxel i lies on i\n";
    lines += std::string("# sigma: scale in voxels; radius: ") +
             (result.extents.z > 1 ? "sqrt(3)" : "sqrt(2)") + " sigma; strength: in values\n";
    lines += "# wx wy wz: the centre in world units; unit " +
             commentText(geometry.unit, separator) + " (" +
             std::string(base::name(geometry.unitSource)) + ")" + io::axesText(geometry.axes) +
             "\n";
    lines += "# spacing: " + pointText(geometry.spacing) + "\n";
    lines += "# origin: " + pointText(geometry.origin) + "\n";
    lines += "# direction (rows):";
    for (const double value : geometry.direction) {
        lines += " " + shortest(value);
    }
    return lines + "\n";
}

std::string table(const FeaturesResult& result, char separator) {
    std::string text = comments(result, separator);
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
        text += (i == 0 ? "" : std::string(1, separator)) + std::string(kColumns[i]);
    }
    text += "\n";
    std::size_t rank = 0;
    for (const features::Blob& blob : result.detection.blobs) {
        const base::Point world = base::toWorld(result.geometry, blob.centre);
        text += std::to_string(++rank);
        for (const double value : {blob.strength, blob.centre[0], blob.centre[1], blob.centre[2],
                                   blob.sigma, blob.radius, world[0], world[1], world[2]}) {
            text += separator + shortest(value);
        }
        text += "\n";
    }
    return text;
}

std::string json(const FeaturesResult& result) {
    const base::Geometry geometry = base::asStated(result.geometry);
    Json list{{"image", result.job.scene.string()},
              {"extents", {result.extents.x, result.extents.y, result.extents.z}},
              {"index_base", 0},
              {"axis_order", "x y z"},
              {"unit", geometry.unit},
              {"unit_source", base::name(geometry.unitSource)},
              {"world_axes", geometry.axes == base::WorldAxes::Unnamed
                                 ? Json(nullptr)
                                 : Json(base::name(geometry.axes))},
              {"spacing", geometry.spacing},
              {"origin", geometry.origin},
              {"direction", geometry.direction},
              {"blobs", Json::array()}};
    for (const features::Blob& blob : result.detection.blobs) {
        list["blobs"].push_back({{"rank", list["blobs"].size() + 1},
                                 {"strength", blob.strength},
                                 {"centre", blob.centre},
                                 {"sigma", blob.sigma},
                                 {"radius", blob.radius},
                                 {"world", base::toWorld(result.geometry, blob.centre)}});
    }
    return list.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// A results table of ImageJ, which reads no comments. Its pixel i reaches from i to i + 1, and its
/// slices count from 1.
std::string imageJ(const FeaturesResult& result) {
    std::string text = " ,X,Y,Slice,Strength,Sigma,Radius\n";
    std::size_t rank = 0;
    for (const features::Blob& blob : result.detection.blobs) {
        text += std::to_string(++rank) + "," + shortest(blob.centre[0] + 0.5) + "," +
                shortest(blob.centre[1] + 0.5) + "," + shortest(blob.centre[2] + 1) + "," +
                shortest(blob.strength) + "," + shortest(blob.sigma) + "," + shortest(blob.radius) +
                "\n";
    }
    return text;
}

/// Markups of 3D Slicer: points in world coordinates, LPS unless the axes are RAS.
std::string slicer(const FeaturesResult& result) {
    Json points = Json::array();
    for (const features::Blob& blob : result.detection.blobs) {
        const std::string number = std::to_string(points.size() + 1);
        points.push_back({{"id", number},
                          {"label", "blob-" + number},
                          {"description", "strength " + shortest(blob.strength) + ", sigma " +
                                              shortest(blob.sigma) + " voxels"},
                          {"position", base::toWorld(result.geometry, blob.centre)},
                          {"selected", true},
                          {"locked", false},
                          {"visibility", true}});
    }
    const Json list{
        {"@schema", "https://raw.githubusercontent.com/slicer/slicer/master/Modules/Loadable/"
                    "Markups/Resources/Schema/markups-schema-v1.0.3.json#"},
        {"markups",
         {{{"type", "Fiducial"},
           {"coordinateSystem", result.geometry.axes == base::WorldAxes::Ras ? "RAS" : "LPS"},
           {"coordinateUnits", result.geometry.unit},
           {"controlPoints", points}}}}};
    return list.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace

std::string pairsAsText(const FeaturesResult& result, char separator) {
    const auto cell = [&](double value) { return separator + shortest(value); };
    std::string text =
        "# FLCC pairs of blobs\n# image a: " + commentText(result.job.scene.string(), separator) +
        " (" + base::toString(result.extents) +
        " voxels)\n# image b: " + commentText(result.job.match.string(), separator) + " (" +
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

std::string_view name(BlobFormat format) {
    return kFormats.at(static_cast<std::size_t>(format)).first;
}

BlobFormat blobFormat(std::string_view name) {
    std::string known;
    for (const auto& [word, format] : kFormats) {
        if (word == name) {
            return format;
        }
        known += (known.empty() ? "" : ", ") + std::string(word);
    }
    throw Error(ErrorCode::CommandLine,
                "--blobs-format must be one of " + known + ", not \"" + base::excerpt(name) + "\"");
}

std::string blobsAsText(const FeaturesResult& result, BlobFormat format) {
    switch (format) {
    case BlobFormat::Csv:
        return table(result, ',');
    case BlobFormat::Tsv:
        return table(result, '\t');
    case BlobFormat::Json:
        return json(result);
    case BlobFormat::ImageJ:
        return imageJ(result);
    case BlobFormat::Slicer:
        return slicer(result);
    case BlobFormat::Auto:
        break;
    }
    throw Error(ErrorCode::CommandLine, "the format of a list of blobs in memory must be named");
}

} // namespace flcc::job
