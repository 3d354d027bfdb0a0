// Chooses the dataset of an HDF5 file and says what image it is.

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <memory>

#include "engine/base/open_file.h"
#include "engine/io/reader/hdf5_axes.h"
#include "engine/io/reader/hdf5_file.h"
#include "engine/io/reader/hdf5_programs.h"

namespace flcc::io::detail {

namespace {

using base::Error;
using base::ErrorCode;

constexpr std::size_t kMostListed = 20;
constexpr int kHeaderSeconds = 10; ///< a large one takes less than one

std::string libraryVersion() {
    unsigned major = 0;
    unsigned minor = 0;
    unsigned release = 0;
    H5get_libversion(&major, &minor, &release);
    return "HDF5 " + std::to_string(major) + "." + std::to_string(minor) + "." +
           std::to_string(release);
}

std::string newerText() {
    return "a newer library than " + libraryVersion() +
           ", which reads it here; write it for HDF5 1.10 (in h5py libver='v110'), or repack it "
           "there with h5repack";
}

bool isImage(hid_t dataset) {
    const std::string role = textOf(dataset, "CLASS");
    const std::string matlab = textOf(dataset, "MATLAB_class");
    return sizesOf(dataset).size() >= 2 && voxelTypeOf(dataset).has_value() &&
           role != "DIMENSION_SCALE" && role != "PALETTE" && matlab != "char" && matlab != "cell" &&
           H5Aexists(dataset, "MATLAB_empty") <= 0;
}

/// The paths of the datasets that can be images.
struct Candidates {
    std::vector<std::string> paths;
    std::string unopened; ///< the first dataset that the library cannot open
    std::string unusable; ///< what the first dataset holds whose values are no plain numbers
};

Candidates candidatesIn(hid_t file) {
    Candidates found;
    const auto visit = [](hid_t root, const char* name, const H5O_info_t* info,
                          void* to) -> herr_t {
        auto& all = *static_cast<Candidates*>(to);
        if (info->type == H5O_TYPE_DATASET) {
            const std::string path = std::string("/") + name;
            const Handle dataset = openDataset(root, path);
            if (!dataset.valid()) {
                all.unopened = all.unopened.empty() ? path : all.unopened;
            } else if (isImage(dataset.id()) && !isBigDataViewerTable(path)) {
                all.paths.push_back(path);
            } else if (all.unusable.empty() && !voxelTypeOf(dataset.id())) {
                all.unusable = "; " + path + " holds " + valueKind(dataset.id());
            }
        }
        return 0;
    };
    if (H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, visit, &found, H5O_INFO_BASIC) < 0) {
        refuseHdf5("the HDF5 file is damaged, or was written by " + newerText());
    }
    return found;
}

[[noreturn]] void askFor(hid_t file, const std::vector<std::string>& paths) {
    std::string list;
    std::vector<std::string> choices;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const Handle dataset = openDataset(file, paths[i]);
        std::vector<hsize_t> sizes = sizesOf(dataset.id());
        if (i < kMostListed) {
            list += (i > 0 ? ", " : "") + paths[i] + " (" + sizeText(sizes) + ")";
        }
        std::reverse(sizes.begin(), sizes.end()); // x first
        const auto type = voxelTypeOf(dataset.id());
        choices.push_back(paths[i] + "\n" + paths[i] + "\n" +
                          (type ? std::string(base::name(type->pixel)) : "") + "\n" +
                          sizeText(sizes) + "\n1");
    }
    throw SeveralImages("holds " + std::to_string(paths.size()) + " datasets: " + list +
                            (paths.size() > kMostListed ? ", ..." : "") +
                            "; choose one by adding ':' and its path to the name of the file",
                        std::move(choices));
}

/// The only dataset that can be an image. **Errors**: Problem, with a list, if there are several.
std::string onlyDataset(hid_t file) {
    if (hasObject(file, kItkVoxels)) {
        return kItkVoxels;
    }
    Candidates found = candidatesIn(file);
    if (std::string named = namedDataset(file, found.paths); !named.empty()) {
        return named;
    }
    if (found.paths.empty() && !found.unopened.empty()) {
        refuseHdf5("its dataset " + found.unopened +
                   " cannot be opened: it is damaged, or was written by " + newerText());
    }
    if (found.paths.empty()) {
        refuseHdf5("it holds no dataset of 2 dimensions or more with integers, floating-point "
                   "numbers or bool" +
                   found.unusable);
    }
    if (found.paths.size() > 1) {
        askFor(file, found.paths);
    }
    return found.paths.front();
}

Handle openImage(hid_t file, const std::string& path) {
    Handle dataset = openDataset(file, path);
    if (!dataset.valid()) {
        H5L_info_t link{};
        if (H5Lget_info(file, path.c_str(), &link, H5P_DEFAULT) >= 0 &&
            link.type == H5L_TYPE_EXTERNAL) {
            refuseHdf5("there is no dataset " + path +
                       " in it: that is a link into another file, which is not read");
        }
        H5O_info_t info{};
        if (hasObject(file, path) &&
            H5Oget_info_by_name2(file, path.c_str(), &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
            info.type == H5O_TYPE_DATASET) {
            refuseHdf5("the dataset " + path +
                       " cannot be opened: it is damaged, or was written by " + newerText());
        }
        std::string names;
        const std::vector<std::string> found = candidatesIn(file).paths;
        for (std::size_t i = 0; i < found.size() && i < kMostListed; ++i) {
            names += (i > 0 ? ", " : "; it has ") + found[i];
        }
        refuseHdf5("it has no dataset " + path + names);
    }
    const Handle creation(H5Dget_create_plist(dataset.id()), H5Pclose);
    if (H5Pget_layout(creation.id()) == H5D_VIRTUAL || H5Pget_external_count(creation.id()) > 0) {
        refuseHdf5("the voxels of the dataset " + path + " lie in other files, which are not read");
    }
    const std::size_t rank = sizesOf(dataset.id()).size();
    if (!voxelTypeOf(dataset.id())) {
        refuseHdf5("the dataset " + path + " holds " + valueKind(dataset.id()) +
                   "; integers, floating-point numbers and bool can be read");
    }
    if (rank < 2) {
        refuseHdf5("the dataset " + path + " has " + std::to_string(rank) +
                   " dimensions; 2 or more make an image");
    }
    return dataset;
}

/// Spacing and unit from the attributes of ilastik (element_size_um: z, y, x), or from `spacing`
/// and `units` in the order of the dataset's axes.
void setGeometry(hid_t dataset, const Hdf5Axes& axes, FoundImage& image) {
    std::vector<double> sizes = numbersOf(dataset, "element_size_um");
    const bool ilastik = !sizes.empty();
    image.unit = ilastik ? "um" : textOf(dataset, "units");
    if (!ilastik) {
        sizes = numbersOf(dataset, "spacing");
    }
    std::vector<std::size_t> order; // the axes x, y, z that the numbers are of
    for (const Axis kind : axes.kinds) {
        if (kind <= Axis::Z) {
            order.push_back(static_cast<std::size_t>(kind));
        }
    }
    if (ilastik && sizes.size() <= 3) {
        order.assign({2, 1, 0});
    }
    if (sizes.size() > 1 && sizes.size() < order.size()) {
        refuseHdf5(std::string(ilastik ? "element_size_um" : "spacing") + " has " +
                   std::to_string(sizes.size()) + " numbers, and the dataset has " +
                   std::to_string(order.size()) + " axes of space");
    }
    const bool everyAxis = !ilastik && sizes.size() == axes.kinds.size();
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double& spacing = image.geometry.spacing[axis];
        spacing = axes.spacing[axis] > 0 ? axes.spacing[axis] : 1;
        if (sizes.size() == 1) {
            const bool there = std::find(axes.kinds.begin(), axes.kinds.end(),
                                         static_cast<Axis>(axis)) != axes.kinds.end();
            spacing = there ? sizes[0] : 1; // one number is for all axes
        } else if (everyAxis) {
            const auto at =
                std::find(axes.kinds.begin(), axes.kinds.end(), static_cast<Axis>(axis));
            spacing = at != axes.kinds.end()
                          ? sizes[static_cast<std::size_t>(at - axes.kinds.begin())]
                          : 1;
        } else if (!sizes.empty()) {
            // The last numbers are those of the last axes.
            for (std::size_t i = 1; i <= std::min(order.size(), sizes.size()); ++i) {
                if (order[order.size() - i] == axis) {
                    spacing = sizes[sizes.size() - i];
                }
            }
        }
    }
}

/// The axes of a dataset that count channels or frames, and how many there are together.
struct Counted {
    std::vector<std::size_t> axes;
    std::int64_t count = 1;
    std::string text; ///< "t (3) and energy (5)"
};

Counted counted(const Hdf5Axes& axes, const std::vector<hsize_t>& sizes, Axis kind) {
    Counted all;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (axes.kinds[i] == kind) {
            all.axes.push_back(i);
            all.count *= std::min<std::int64_t>(static_cast<std::int64_t>(sizes[i]), 1 << 30);
            if (sizes[i] > 1) {
                all.text += (all.text.empty() ? "" : " and ") + axes.names[i] + " (" +
                            std::to_string(sizes[i]) + ")";
            }
        }
        if (all.count > 1'000'000'000) {
            refuseHdf5("it has too many frames or channels");
        }
    }
    return all;
}

void describeFrames(const Hdf5Axes& axes, const Counted& frames, FoundImage& image) {
    const bool plain = frames.axes.size() == 1 &&
                       (axes.names[frames.axes[0]] == "t" || axes.names[frames.axes[0]] == "time" ||
                        axes.names[frames.axes[0]].starts_with("frame"));
    if (!frames.text.empty() && !plain) {
        image.notes.push_back("its frames count through " + frames.text +
                              (frames.axes.size() > 1 ? ", the last one fastest" : ""));
    }
}

Hdf5Image imageOf(hid_t file, const std::string& path) {
    const auto dataset = std::make_shared<Handle>(openImage(file, path));
    const std::vector<hsize_t> sizes = sizesOf(dataset->id());
    for (const hsize_t size : sizes) {
        if (size < 1 || size > static_cast<hsize_t>(INT64_MAX)) {
            refuseHdf5("the dataset " + path + " has the size " + sizeText(sizes));
        }
    }
    Hdf5Image image;
    image.type = *voxelTypeOf(dataset->id());
    const auto itk = path == kItkVoxels ? itkAxes(file, sizes, image.type.pixel) : std::nullopt;
    const auto fixed = itk ? itk : programAxes(file, path, sizes);
    const Hdf5Axes axes = fixed ? *fixed : axesOf(dataset->id(), path);
    FoundImage& found = image.found;
    found.notes = axes.notes;
    setValues(file, dataset->id(), path, image);
    if (image.type.mask) {
        found.notes.emplace_back("its values are bool and were read as 0 and 1");
    } else if (!image.type.names.empty()) {
        found.notes.push_back("its values are numbers of names: " + image.type.names);
    }
    std::array<int, 3> place{-1, -1, -1};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (axes.kinds[i] <= Axis::Z) {
            place[static_cast<std::size_t>(axes.kinds[i])] = static_cast<int>(i);
        }
    }
    const auto length = [&](std::size_t axis) {
        return place[axis] < 0
                   ? std::int64_t{1}
                   : static_cast<std::int64_t>(sizes[static_cast<std::size_t>(place[axis])]);
    };
    found.extents = {length(0), length(1), length(2)};
    const Counted frames = counted(axes, sizes, Axis::Frame);
    const Counted channels = counted(axes, sizes, Axis::Channel);
    found.frames = static_cast<int>(frames.count);
    found.channels = static_cast<int>(channels.count);
    describeFrames(axes, frames, found);
    if (axes.colour) {
        found.notes.emplace_back("its channels are red, green and blue");
    }
    found.metadata["dataset"] = path;
    setGeometry(dataset->id(), axes, found);
    if (found.unit.empty() && found.geometry.spacing == base::Point{1, 1, 1}) {
        setProgramGeometry(file, dataset->id(), path, axes, found);
    }
    if (path == kItkVoxels) {
        setItkGeometry(file, found.geometry);
    }
    const bool compound = axes.kinds.back() == Axis::Component;
    found.components = compound ? static_cast<int>(sizes.back()) : 1;
    image.place = [file, path, sizes, place, compound, frames = frames.axes,
                   channels = channels.axes](int frame, int channel) {
        Hdf5Place at{openDataset(file, path), std::vector<hsize_t>(sizes.size(), 0), place,
                     compound};
        const auto set = [&](const std::vector<std::size_t>& from, int number) {
            auto left = static_cast<hsize_t>(number);
            for (std::size_t i = from.size(); i-- > 0; left /= sizes[from[i]]) {
                at.corner[from[i]] = left % sizes[from[i]];
            }
        };
        set(frames, frame);
        set(channels, channel);
        return at;
    };
    return image;
}

/// Throws if the library cannot open the file. The version of the first block of a file is new
/// where a library wrote it that is newer than ours.
[[noreturn]] void failFile(const std::filesystem::path& path) {
    constexpr int kNewestVersion = 3;
    std::ifstream stream = base::openFile(path);
    for (std::int64_t at = 0; at < (1 << 20) && stream; at = at == 0 ? 512 : 2 * at) {
        std::array<char, 9> head{};
        stream.seekg(at);
        if (stream.read(head.data(), head.size()) &&
            std::string_view(head.data(), 8) == std::string_view("\x89HDF\r\n\x1a\n", 8)) {
            if (head[8] > kNewestVersion) {
                refuseHdf5("the HDF5 file has the version " + std::to_string(head[8]) +
                           " and was written by " + newerText());
            }
            break;
        }
    }
    refuseHdf5("the HDF5 file is truncated or damaged, or another program is writing it");
}

} // namespace

void answerHdf5(const Request& request, ReaderAnswer& answer) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    registerLzf();
    answer.limitHeader(kHeaderSeconds,
                       "the HDF5 library came to no end within " + std::to_string(kHeaderSeconds) +
                           " s; the file is damaged, or it holds very many objects: "
                           "then name the dataset, FILE:/path/to/dataset");
    const Handle file(H5Fopen(request.path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (!file.valid()) {
        failFile(request.path);
    }
    auto image = imarisImage(file.id(), request.dataset);
    if (!image) {
        image =
            imageOf(file.id(), request.dataset.empty() ? onlyDataset(file.id()) : request.dataset);
    }
    const bool sends = request.picks(image->found);
    answer.header(image->found, sends);
    if (sends) {
        const Hdf5Place place =
            image->place(std::max(request.frame, 0), std::max(request.channel, 0));
        if (!place.dataset.valid()) {
            refuseHdf5("its dataset cannot be opened");
        }
        sendHdf5(place, *image, answer);
    }
}

} // namespace flcc::io::detail
