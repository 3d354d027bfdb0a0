// What programs leave beside a dataset of an HDF5 file.

#include "engine/io/reader/hdf5_programs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <regex>

#include <nlohmann/json.hpp>

#include "engine/io/reader/hdf5_file.h"

namespace flcc::io::detail {

namespace {

std::string parentOf(const std::string& path) {
    const std::string parent = path.substr(0, path.find_last_of('/'));
    return parent.empty() ? "/" : parent;
}

Handle openObject(hid_t file, const std::string& path) {
    return {hasObject(file, path) || path == "/" ? H5Oopen(file, path.c_str(), H5P_DEFAULT) : -1,
            H5Oclose};
}

/// Numbers of a dataset with one axis; empty if it is missing, damaged or too long.
std::vector<double> seriesAt(hid_t dataset) {
    constexpr hssize_t kMost = 1 << 20;
    const Handle space(H5Dget_space(dataset), H5Sclose);
    const Handle type(H5Dget_type(dataset), H5Tclose);
    const hssize_t count = space.valid() ? H5Sget_simple_extent_npoints(space.id()) : 0;
    const bool numbers = type.valid() && (H5Tget_class(type.id()) == H5T_INTEGER ||
                                          H5Tget_class(type.id()) == H5T_FLOAT);
    if (!numbers || count < 1 || count > kMost || H5Sget_simple_extent_ndims(space.id()) != 1) {
        return {};
    }
    std::vector<double> values(static_cast<std::size_t>(count));
    return H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0
               ? std::vector<double>{}
               : values;
}

/// "nm" of "[n_m]", "um" of "micron", "A" of "angstrom"; what is no length stays.
std::string plainUnit(std::string unit) {
    std::erase_if(unit, [](char c) { return c == '[' || c == ']' || c == '_' || c == ' '; });
    return unit == "micron" || unit == "microns" || unit == "micrometer"     ? "um"
           : unit == "angstrom" || unit == "Angstrom" || unit == "angstroms" ? "A"
                                                                             : unit;
}

/// Coordinates along an axis of an image.
struct Coordinates {
    std::vector<double> values;
    std::string unit;
};

/// Takes coordinates that are evenly spaced; notes others.
bool takeCoordinates(const Coordinates& from, std::size_t axis, std::size_t length,
                     FoundImage& image) {
    const std::vector<double>& values = from.values;
    if (values.size() != length || length < 2) {
        return false;
    }
    const double step = (values.back() - values.front()) / static_cast<double>(length - 1);
    bool even = std::isfinite(step) && step != 0;
    for (std::size_t i = 0; i < values.size() && even; ++i) {
        constexpr double kEven = 1e-3; // of a step: coordinates are often rounded
        even = std::abs(values[i] - values.front() - step * static_cast<double>(i)) <=
               kEven * std::abs(step);
    }
    const std::string name(1, "xyz"[axis]);
    if (!even) {
        image.notes.push_back("its coordinates along " + name +
                              " are not evenly spaced, so the spacing is unknown");
        return false;
    }
    if (step < 0) {
        image.notes.push_back("its coordinates along " + name +
                              " fall from voxel to voxel; the voxels stay as they are stored");
    }
    image.geometry.spacing[axis] = std::abs(step);
    image.geometry.origin[axis] = step > 0 ? values.front() : values.back();
    image.unit = plainUnit(from.unit);
    return true;
}

/// Of each axis of space, by its number in the dataset.
template <class Find>
bool takeAll(const Hdf5Axes& axes, const std::vector<hsize_t>& sizes, FoundImage& image,
             const Find& find) {
    bool any = false;
    for (std::size_t i = 0; i < axes.kinds.size(); ++i) {
        if (axes.kinds[i] <= Axis::Z) {
            const Coordinates from = find(i);
            any = takeCoordinates(from, static_cast<std::size_t>(axes.kinds[i]),
                                  static_cast<std::size_t>(sizes[i]), image) ||
                  any;
        }
    }
    return any;
}

bool isEven(const std::vector<double>& numbers, std::size_t count) {
    return numbers.size() == count &&
           std::ranges::all_of(numbers, [](double n) { return std::isfinite(n) && n > 0; });
}

/// EMAN2: the attributes of the group of an image.
bool fromEman(hid_t group, FoundImage& image) {
    bool any = false;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::string name = std::string("EMAN.apix_") + "xyz"[axis];
        const std::vector<double> size = numbersOf(group, name.c_str());
        if (isEven(size, 1)) {
            image.geometry.spacing[axis] = size[0];
            image.unit = "A";
            any = true;
        }
    }
    return any;
}

/// UCSF Chimera and ChimeraX: the attributes of the group, and of a coarser copy its own.
bool fromChimera(hid_t group, hid_t dataset, FoundImage& image) {
    const std::vector<double> step = numbersOf(group, "step");
    const std::vector<double> origin = numbersOf(group, "origin");
    if (!isEven(step, 3)) {
        return false;
    }
    const std::vector<double> coarser = numbersOf(dataset, "subsample_spacing");
    for (std::size_t axis = 0; axis < 3; ++axis) {
        image.geometry.spacing[axis] = step[axis] * (isEven(coarser, 3) ? coarser[axis] : 1);
        image.geometry.origin[axis] = origin.size() == 3 ? origin[axis] : 0;
    }
    image.unit = "A";
    const std::vector<double> turn = numbersOf(group, "rotation_angle");
    const std::vector<double> angles = numbersOf(group, "cell_angles");
    if ((turn.size() == 1 && turn[0] != 0) ||
        std::ranges::any_of(angles, [](double a) { return std::abs(a - 90) > 0.01; })) {
        image.notes.emplace_back(
            "its map is turned or has oblique cell angles, which are left out");
    }
    return true;
}

/// EMD of Berkeley: a dataset of coordinates for each axis, dim1 for the first.
bool fromEmd(hid_t file, const std::string& group, const Hdf5Axes& axes,
             const std::vector<hsize_t>& sizes, FoundImage& image) {
    return takeAll(axes, sizes, image, [&](std::size_t i) {
        const Handle scale = openDataset(file, group + "/dim" + std::to_string(i + 1));
        return scale.valid() ? Coordinates{seriesAt(scale.id()), textOf(scale.id(), "units")}
                             : Coordinates{};
    });
}

/// NeXus: the group names its axes, which are datasets beside the image.
bool fromNexus(hid_t file, hid_t group, const std::string& path, const Hdf5Axes& axes,
               const std::vector<hsize_t>& sizes, FoundImage& image) {
    const std::vector<std::string> names = textsOf(group, "axes");
    return names.size() == sizes.size() && takeAll(axes, sizes, image, [&](std::size_t i) {
               const Handle scale = openDataset(file, path + "/" + names[i]);
               return scale.valid() ? Coordinates{seriesAt(scale.id()), textOf(scale.id(), "units")}
                                    : Coordinates{};
           });
}

/// netCDF: the scale of an axis, if it is a variable of coordinates.
bool fromScales(hid_t dataset, const Hdf5Axes& axes, const std::vector<hsize_t>& sizes,
                FoundImage& image) {
    std::vector<Coordinates> found(sizes.size());
    visitScales(dataset, sizes.size(), [&](std::size_t axis, hid_t scale) {
        const std::string unit = textOf(scale, "units");
        const bool variable = !textOf(scale, "NAME").starts_with("This is a netCDF dimension");
        if (variable && !unit.starts_with("degree")) { // that is no length
            found[axis] = {seriesAt(scale), unit};
        }
    });
    return takeAll(axes, sizes, image, [&](std::size_t i) { return found[i]; });
}

/// MINC 2: a dataset of each axis holds its step and start.
bool fromMinc(hid_t file, const Hdf5Axes& axes, FoundImage& image) {
    bool any = false;
    for (const Axis kind : axes.kinds) {
        if (kind > Axis::Z) {
            continue;
        }
        const auto axis = static_cast<std::size_t>(kind);
        const Handle scale =
            openObject(file, std::string("/minc-2.0/dimensions/") + "xyz"[axis] + "space");
        const std::vector<double> step =
            scale.valid() ? numbersOf(scale.id(), "step") : std::vector<double>{};
        if (step.size() == 1 && std::isfinite(step[0]) && step[0] != 0) {
            image.geometry.spacing[axis] = std::abs(step[0]);
            image.unit = textOf(scale.id(), "units");
            any = true;
        }
    }
    image.notes.emplace_back(
        "it is a MINC file: place and directions of its axes are left out, and its values are the "
        "stored ones, without the real range of each slice (image-min, image-max); mincresample or "
        "mincconvert -2 -float gives real ones");
    return any;
}

double numberIn(const std::string& text) {
    double value = 0;
    return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc() ? value
                                                                                            : 0;
}

/// Velox: the sizes of a pixel in metres, in a text of JSON beside the image.
bool fromVelox(hid_t file, const std::string& group, FoundImage& image) {
    const Handle dataset = openDataset(file, group + "/Metadata");
    if (!dataset.valid()) {
        return false;
    }
    const std::vector<hsize_t> sizes = sizesOf(dataset.id());
    constexpr hsize_t kMost = 1 << 22;
    if (sizes.size() != 2 || sizes[0] * sizes[1] > kMost || sizes[0] * sizes[1] == 0) {
        return false;
    }
    std::vector<char> all(static_cast<std::size_t>(sizes[0] * sizes[1]));
    if (H5Dread(dataset.id(), H5T_NATIVE_CHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) < 0) {
        return false;
    }
    std::string text; // the first column
    for (std::size_t i = 0; i < all.size() && all[i] != 0;
         i += static_cast<std::size_t>(sizes[1])) {
        text += all[i];
    }
    const auto json = nlohmann::json::parse(text, nullptr, false);
    const nlohmann::json::json_pointer at("/BinaryResult/PixelSize");
    if (json.is_discarded() || !json.contains(at)) {
        return false;
    }
    constexpr double kNanometres = 1e9;
    const std::array<const char*, 2> names{"width", "height"};
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const auto& size = json.at(at).value(names[axis], nlohmann::json());
        const double metres = size.is_number()   ? size.get<double>()
                              : size.is_string() ? numberIn(size.get<std::string>())
                                                 : 0;
        if (!(std::isfinite(metres) && metres > 0)) {
            return false;
        }
        image.geometry.spacing[axis] = metres * kNanometres;
    }
    image.unit = "nm";
    return true;
}

bool isVelox(hid_t file, const std::string& path) {
    static const std::regex kData("/Data/Image/[0-9a-f]+/Data");
    return std::regex_match(path, kData) && hasObject(file, parentOf(path) + "/Metadata");
}

} // namespace

std::optional<Hdf5Axes> programAxes(hid_t file, const std::string& path,
                                    const std::vector<hsize_t>& sizes) {
    if (!isVelox(file, path) || sizes.size() != 3) {
        return std::nullopt;
    }
    Hdf5Axes axes;
    axes.kinds = {Axis::Y, Axis::X, Axis::Frame};
    axes.names = {"y", "x", "frame"};
    return axes;
}

bool setProgramGeometry(hid_t file, hid_t dataset, const std::string& path, const Hdf5Axes& axes,
                        FoundImage& image) {
    const std::string parent = parentOf(path);
    const Handle group = openObject(file, parent);
    if (!group.valid()) {
        return false;
    }
    const std::vector<hsize_t> sizes = sizesOf(dataset);
    if (path.starts_with("/MDF/images/")) {
        return fromEman(group.id(), image);
    }
    if (path.starts_with("/Chimera/")) {
        return fromChimera(group.id(), dataset, image);
    }
    if (path.starts_with("/minc-2.0/")) {
        return fromMinc(file, axes, image);
    }
    if (isVelox(file, path)) {
        return fromVelox(file, parent, image);
    }
    if (H5Aexists(group.id(), "emd_group_type") > 0) {
        return fromEmd(file, parent, axes, sizes, image);
    }
    return textOf(group.id(), "NX_class") == "NXdata"
               ? fromNexus(file, group.id(), parent, axes, sizes, image)
               : fromScales(dataset, axes, sizes, image);
}

std::string namedDataset(hid_t file, std::vector<std::string>& paths) {
    std::erase_if(paths, [&](const std::string& path) {
        const Handle dataset = openDataset(file, path);
        const bool coarser = dataset.valid() && H5Aexists(dataset.id(), "subsample_spacing") > 0;
        const std::string parent = parentOf(path);
        return coarser || (path == parent + "/Metadata" && isVelox(file, parent + "/Data"));
    });
    // The default plot of NeXus: groups name the next group, and the last one its signal.
    std::string path;
    for (int depth = 0; depth < 8; ++depth) {
        const Handle group = openObject(file, path.empty() ? "/" : path);
        if (!group.valid()) {
            return {};
        }
        if (const std::string signal = textOf(group.id(), "signal"); !signal.empty()) {
            const std::string named = path + "/" + signal;
            return std::ranges::find(paths, named) != paths.end() ? named : std::string();
        }
        const std::string next = textOf(group.id(), "default");
        if (next.empty()) {
            return {};
        }
        path += "/" + next;
    }
    return {};
}

} // namespace flcc::io::detail
