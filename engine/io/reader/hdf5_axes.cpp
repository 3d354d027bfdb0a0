// Which axis of a dataset is which.

#include "engine/io/reader/hdf5_axes.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "engine/io/reader/hdf5_file.h"

namespace flcc::io::detail {

namespace {

struct AxisName {
    Axis kind;
    bool known; ///< false: the name is of no axis of images
};

AxisName meaningOf(std::string name) {
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    name = name.substr(0, name.find_first_of(" (["));
    const auto is = [&](std::initializer_list<std::string_view> words) {
        return std::find(words.begin(), words.end(), name) != words.end();
    };
    if (is({"x", "col", "cols", "column", "columns", "width", "lon", "longitude"})) {
        return {Axis::X, true};
    }
    if (is({"y", "row", "rows", "height", "lat", "latitude"})) {
        return {Axis::Y, true};
    }
    if (is({"z", "slice", "slices", "plane", "planes", "section", "depth", "level", "lev"})) {
        return {Axis::Z, true};
    }
    if (is({"c", "ch", "channel", "channels", "band", "bands", "rgb", "rgba", "colour", "color"})) {
        return {Axis::Channel, true};
    }
    return {Axis::Frame, is({"t", "time", "times", "timepoint", "frame", "frames"})};
}

/// What an axis of this name counts; frames for a name that says nothing of space or channels.
Axis axisKind(const std::string& name) { return meaningOf(name).kind; }

std::optional<std::vector<std::string>> fromTags(hid_t dataset, Hdf5Axes& axes) {
    const std::string text = textOf(dataset, "axistags");
    if (text.empty()) {
        return std::nullopt;
    }
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("axes") || !json["axes"].is_array()) {
        axes.notes.emplace_back("its axistags cannot be read");
        return std::nullopt;
    }
    std::vector<std::string> names;
    for (const auto& axis : json["axes"]) {
        const bool named = axis.is_object() && axis.contains("key") && axis["key"].is_string();
        names.push_back(named ? axis["key"].get<std::string>() : "");
        const bool sized = named && axis.contains("resolution") && axis["resolution"].is_number();
        const double step = sized ? axis["resolution"].get<double>() : 0;
        const Axis kind = axisKind(names.back());
        if (kind <= Axis::Z && std::isfinite(step) && step > 0) {
            axes.spacing[static_cast<std::size_t>(kind)] = step;
        }
    }
    return names;
}

/// The name of a dimension scale: its attribute NAME, or the last part of its path.
std::string nameOfScale(hid_t scale) {
    const std::string name = textOf(scale, "NAME");
    if (!name.empty() && !name.starts_with("This is a netCDF dimension")) {
        return name.substr(name.find_last_of('/') + 1);
    }
    std::array<char, 256> path{};
    if (H5Iget_name(scale, path.data(), path.size()) <= 0) {
        return {};
    }
    const std::string whole(path.data());
    return whole.substr(whole.find_last_of('/') + 1);
}

std::optional<std::vector<std::string>> fromScales(hid_t dataset, std::size_t rank) {
    std::vector<std::string> names(rank);
    const bool scaled = visitScales(
        dataset, rank, [&](std::size_t axis, hid_t scale) { names[axis] = nameOfScale(scale); });
    return scaled ? std::optional(names) : std::nullopt;
}

/// Matrices of MATLAB: rows, columns, slices, ... with the first axis fastest.
std::optional<std::vector<std::string>> fromMatlab(hid_t dataset, std::size_t rank,
                                                   Hdf5Axes& axes) {
    if (H5Aexists(dataset, "MATLAB_class") <= 0) {
        return std::nullopt;
    }
    std::vector<std::string> names{"x", "y"};
    if (rank >= 3) {
        names.insert(names.begin(), "z");
        axes.notes.emplace_back("an array of MATLAB: its rows, columns and third axis are y, x, z");
    }
    if (rank >= 4) {
        names.insert(names.begin(), "frame");
    }
    if (rank >= 5) {
        names.insert(names.begin() + 1, "channel");
        axes.notes.back() += ", the fourth counts channels and the fifth frames";
    } else if (rank == 4) {
        axes.notes.back() += ", the fourth counts frames";
    }
    return names;
}

/// Pictures by the image specification of HDF5.
std::optional<std::vector<std::string>>
fromImageClass(hid_t dataset, const std::vector<hsize_t>& sizes, Hdf5Axes& axes) {
    if (textOf(dataset, "CLASS") != "IMAGE" ||
        textOf(dataset, "IMAGE_SUBCLASS") != "IMAGE_TRUECOLOR" || sizes.size() != 3) {
        return std::nullopt;
    }
    const std::string mode = textOf(dataset, "INTERLACE_MODE");
    const std::size_t channels = mode == "INTERLACE_PLANE" ? 0 : mode == "INTERLACE_LINE" ? 1 : 2;
    axes.colour = sizes[channels] == 3;
    std::vector<std::string> names{"y", "x"};
    names.insert(names.begin() + static_cast<std::ptrdiff_t>(channels), "c");
    return names;
}

std::vector<std::string> assumed(std::size_t rank, Hdf5Axes& axes) {
    std::vector<std::string> names{"y", "x"};
    if (rank >= 3) {
        names.insert(names.begin(), "z");
        axes.notes.emplace_back("the dataset does not name its axes; they were taken as ");
    }
    if (rank >= 5) {
        names.insert(names.begin(), "channel");
    }
    if (rank >= 4) {
        names.insert(names.begin(), "frame");
    }
    for (std::size_t i = 0; rank >= 3 && i < rank; ++i) {
        axes.notes.back() += (i > 0 ? ", " : "") + names[i];
    }
    return names;
}

/// Gives axes without a name the names that are left, and checks that x and y are there once.
void complete(std::vector<std::string>& names, const std::vector<hsize_t>& sizes,
              const std::string& path, Hdf5Axes& axes) {
    const auto count = [&](Axis kind) {
        return std::count_if(names.begin(), names.end(), [&](const std::string& name) {
            return !name.empty() && axisKind(name) == kind;
        });
    };
    // From the last axis on: x, y and z, as far as they are missing.
    bool guessed = false;
    for (std::size_t i = names.size(); i-- > 0;) {
        if (names[i].empty()) {
            names[i] = count(Axis::X) == 0   ? "x"
                       : count(Axis::Y) == 0 ? "y"
                       : count(Axis::Z) == 0 ? "z"
                                             : "frame";
            guessed = guessed || sizes[i] > 1;
        }
    }
    std::string all;
    for (const std::string& name : names) {
        all += (all.empty() ? "" : ", ") + name;
    }
    if (guessed) {
        axes.notes.push_back("axes without a name were taken as those that are missing: " + all);
    }
    if (count(Axis::X) != 1 || count(Axis::Y) != 1 || count(Axis::Z) > 1) {
        refuseHdf5(
            "the axes of the dataset " + path + " are named " + all +
            "; an image needs one x and one y, and at most one z: name them in the attribute "
            "DIMENSION_LABELS");
    }
}

} // namespace

bool visitScales(hid_t dataset, std::size_t rank,
                 const std::function<void(std::size_t axis, hid_t scale)>& visit) {
    if (H5Aexists(dataset, "DIMENSION_LIST") <= 0) {
        return false;
    }
    const Handle attribute(H5Aopen(dataset, "DIMENSION_LIST", H5P_DEFAULT), H5Aclose);
    const Handle space(H5Aget_space(attribute.id()), H5Sclose);
    const Handle stored(H5Aget_type(attribute.id()), H5Tclose);
    if (!space.valid() || H5Sget_simple_extent_npoints(space.id()) != static_cast<hssize_t>(rank) ||
        H5Tget_class(stored.id()) != H5T_VLEN ||
        H5Tget_class(Handle(H5Tget_super(stored.id()), H5Tclose).id()) != H5T_REFERENCE) {
        return false;
    }
    const Handle type(H5Tvlen_create(H5T_STD_REF_OBJ), H5Tclose);
    std::vector<hvl_t> lists(rank);
    if (H5Aread(attribute.id(), type.id(), lists.data()) < 0) {
        return false;
    }
    for (std::size_t axis = 0; axis < rank; ++axis) {
        if (lists[axis].len > 0) {
            const Handle scale(H5Rdereference2(dataset, H5P_DEFAULT, H5R_OBJECT, lists[axis].p),
                               H5Oclose);
            if (scale.valid()) {
                visit(axis, scale.id());
            }
        }
    }
    H5Dvlen_reclaim(type.id(), space.id(), H5P_DEFAULT, lists.data());
    return true;
}

Hdf5Axes axesOf(hid_t dataset, const std::string& path) {
    const std::vector<hsize_t> sizes = sizesOf(dataset);
    const std::size_t rank = sizes.size();
    Hdf5Axes axes;
    auto names = fromTags(dataset, axes);
    if (!names && H5Aexists(dataset, "DIMENSION_LABELS") > 0) {
        names = textsOf(dataset, "DIMENSION_LABELS");
    }
    const auto useful = [&] {
        return names && names->size() == rank &&
               std::any_of(names->begin(), names->end(),
                           [](const auto& name) { return !name.empty() && meaningOf(name).known; });
    };
    if (names && names->size() != rank) {
        refuseHdf5("the dataset " + path + " has " + std::to_string(rank) + " axes and names " +
                   std::to_string(names->size()) +
                   " of them; correct its attribute axistags or DIMENSION_LABELS");
    }
    if (!useful()) {
        names = fromScales(dataset, rank);
    }
    if (!useful()) {
        names = fromMatlab(dataset, rank, axes);
    }
    if (!useful()) {
        names = fromImageClass(dataset, sizes, axes);
    }
    if (!useful()) {
        if (rank > 5) {
            refuseHdf5("the dataset " + path + " has " + std::to_string(rank) +
                       " axes without names; name them in the attribute DIMENSION_LABELS");
        }
        names = assumed(rank, axes);
    }
    complete(*names, sizes, path, axes);
    axes.names = *names;
    for (const std::string& name : *names) {
        axes.kinds.push_back(axisKind(name));
    }
    return axes;
}

} // namespace flcc::io::detail
