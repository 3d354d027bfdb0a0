// Imaris files: a dataset for each resolution level, time point and channel, padded to chunks.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "engine/io/reader/hdf5_file.h"

namespace flcc::io::detail {

namespace {

constexpr const char* kLevel = "/DataSet/ResolutionLevel ";

Handle openObject(hid_t file, const std::string& path) {
    return {hasObject(file, path) ? H5Oopen(file, path.c_str(), H5P_DEFAULT) : -1, H5Oclose};
}

/// The number that an attribute of single letters holds; NaN if there is none.
double numberIn(hid_t object, const std::string& name) {
    const std::string text = textOf(object, name.c_str(), true);
    double number = std::numeric_limits<double>::quiet_NaN();
    const auto* const begin = text.data() + std::min(text.find_first_not_of(' '), text.size());
    (void)std::from_chars(begin, text.data() + text.size(), number);
    return number;
}

std::int64_t sizeIn(hid_t object, const std::string& name) {
    const double size = numberIn(object, name);
    return size >= 1 && size < 1e12 && size == std::floor(size) ? static_cast<std::int64_t>(size)
                                                                : 0;
}

/// Number of objects "PREFIX0", "PREFIX1", ...
int countOf(hid_t file, const std::string& prefix) {
    constexpr int kMost = 1'000'000;
    int count = 0;
    while (count < kMost && hasObject(file, prefix + std::to_string(count))) {
        ++count;
    }
    return count;
}

/// What a path of an Imaris file names: a level, and perhaps a time point and a channel of it.
struct Named {
    int level = 0;
    int time = -1; ///< -1: any
    int channel = -1;
};

std::optional<Named> namedBy(const std::string& path) {
    if (path.empty()) {
        return Named{};
    }
    Named named;
    auto step = [rest = std::string_view(path)](std::string_view word, int& number) mutable {
        if (!rest.starts_with(word)) {
            return false;
        }
        rest.remove_prefix(word.size());
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        return error == std::errc{} && number >= 0;
    };
    if (!step(kLevel, named.level)) {
        return std::nullopt;
    }
    const std::string level = kLevel + std::to_string(named.level);
    if (path == level || path == level + "/") {
        return named;
    }
    if (!step("/TimePoint ", named.time) || !step("/Channel ", named.channel)) {
        return std::nullopt;
    }
    const std::string channel = level + "/TimePoint " + std::to_string(named.time) + "/Channel " +
                                std::to_string(named.channel);
    return path == channel || path == channel + "/Data" ? std::optional(named) : std::nullopt;
}

std::string channelPath(int level, int time, int channel) {
    return kLevel + std::to_string(level) + "/TimePoint " + std::to_string(time) + "/Channel " +
           std::to_string(channel);
}

/// Extents of the level: those of its channel, or of the image for the first level. The dataset is
/// padded to whole chunks.
base::Extents extentsOf(hid_t channel, hid_t info, int level, const std::vector<hsize_t>& stored,
                        FoundImage& found) {
    std::array<std::int64_t, 3> sizes{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::string letter(1, "XYZ"[axis]);
        sizes[axis] = sizeIn(channel, "ImageSize" + letter);
        if (sizes[axis] == 0 && level == 0 && info >= 0) {
            sizes[axis] = sizeIn(info, letter);
        }
        const auto padded = static_cast<std::int64_t>(stored[2 - axis]);
        if (sizes[axis] > padded) {
            refuseHdf5("its header promises " + std::to_string(sizes[axis]) + " voxels along " +
                       letter + ", and its dataset holds " + std::to_string(padded));
        }
        if (sizes[axis] == 0) {
            sizes[axis] = padded;
            if (found.notes.empty()) {
                found.notes.emplace_back("the file of Imaris does not say its size; that of its "
                                         "dataset was taken, which may be padded");
            }
        }
    }
    return {sizes[0], sizes[1], sizes[2]};
}

void setGeometry(hid_t info, FoundImage& found) {
    const std::array<std::int64_t, 3> sizes{found.extents.x, found.extents.y, found.extents.z};
    std::array<double, 3> low{};
    std::array<double, 3> high{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        low[axis] = numberIn(info, "ExtMin" + std::to_string(axis));
        high[axis] = numberIn(info, "ExtMax" + std::to_string(axis));
        if (!std::isfinite(low[axis]) || !(high[axis] > low[axis]) || !std::isfinite(high[axis])) {
            return;
        }
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        // They are the outer faces of the first and the last voxel.
        found.geometry.spacing[axis] = (high[axis] - low[axis]) / static_cast<double>(sizes[axis]);
        found.geometry.origin[axis] = low[axis] + found.geometry.spacing[axis] / 2;
    }
    found.unit = textOf(info, "Unit", true);
}

} // namespace

std::optional<Hdf5Image> imarisImage(hid_t file, const std::string& path) {
    const auto named = namedBy(path);
    if (!named || !hasObject(file, "/DataSetInfo") ||
        !hasObject(
            file, channelPath(named->level, std::max(named->time, 0), std::max(named->channel, 0)) +
                      "/Data")) {
        return std::nullopt;
    }
    const int time = std::max(named->time, 0);
    const int channel = std::max(named->channel, 0);
    const std::string place = channelPath(named->level, time, channel);
    const Handle dataset = openDataset(file, place + "/Data");
    const auto type = dataset.valid() ? voxelTypeOf(dataset.id()) : std::nullopt;
    const std::vector<hsize_t> stored =
        dataset.valid() ? sizesOf(dataset.id()) : std::vector<hsize_t>{};
    if (!type || stored.size() != 3) {
        refuseHdf5("the dataset " + place + "/Data of this Imaris file is no volume of numbers");
    }
    Hdf5Image image;
    image.type = *type;
    FoundImage& found = image.found;
    found.pixel = type->pixel;
    const Handle group = openObject(file, place);
    const Handle info = openObject(file, "/DataSetInfo/Image");
    found.extents = extentsOf(group.id(), info.id(), named->level, stored, found);
    if (info.valid()) {
        setGeometry(info.id(), found);
    }
    const std::string level = kLevel + std::to_string(named->level);
    found.frames = named->time >= 0 ? 1 : countOf(file, level + "/TimePoint ");
    found.channels = named->channel >= 0 ? 1 : countOf(file, level + "/TimePoint 0/Channel ");
    const int levels = countOf(file, kLevel);
    if (levels > 1) {
        found.notes.push_back("resolution level " + std::to_string(named->level) + " of " +
                              std::to_string(levels) + ", from 0; add ':" + kLevel +
                              "N' to the name of the file for another one");
    }
    found.metadata["dataset"] = path.empty() ? level : path;
    image.place = [file, named = *named, extents = found.extents](int frame, int chosen) {
        const std::string data =
            channelPath(named.level, std::max(named.time, frame), std::max(named.channel, chosen)) +
            "/Data";
        Hdf5Place at{openDataset(file, data), {0, 0, 0}, {2, 1, 0}};
        const std::vector<hsize_t> sizes =
            at.dataset.valid() ? sizesOf(at.dataset.id()) : std::vector<hsize_t>{};
        if (sizes.size() != 3 || sizes[0] < static_cast<hsize_t>(extents.z) ||
            sizes[1] < static_cast<hsize_t>(extents.y) ||
            sizes[2] < static_cast<hsize_t>(extents.x)) {
            refuseHdf5("the dataset " + data + " is missing or smaller than the first one");
        }
        return at;
    };
    return image;
}

} // namespace flcc::io::detail
