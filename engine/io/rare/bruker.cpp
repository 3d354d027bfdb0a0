// The header of ParaVision's voxels "2dseq", the file visu_pars beside them: JCAMP-DX.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include "engine/io/rare/companions.h"
#include "engine/io/rare/headers.h"

namespace flcc::io::detail {

namespace {

using base::PixelType;
using Numbers = std::vector<double>;

/// The parameters "##$Name=value". Of an array, the lines behind its sizes are the value, joined as
/// ITK joins them: ParaVision ends a line with a blank. Without it ITK takes two numbers for one
/// and reads behind the end of what is left, so that the numbers must be counted here.
class Parameters {
  public:
    explicit Parameters(const std::filesystem::path& file) {
        constexpr std::int64_t kMost = std::int64_t{1} << 26;
        std::ifstream in(file);
        if (!in) {
            refuseItk("its header, the file visu_pars beside it, is missing or cannot be read");
        }
        std::string name;
        std::string line;
        for (std::int64_t read = 0; std::getline(in, line); read += std::ssize(line)) {
            if (read > kMost) {
                refuseItk("its file visu_pars is too long");
            }
            if (line.starts_with("##END")) {
                m_ended = true;
            } else if (line.starts_with("##$")) {
                const std::size_t equals = line.find('=');
                name = line.substr(3, equals == std::string::npos ? equals : equals - 3);
                const std::string value =
                    equals == std::string::npos ? "" : line.substr(equals + 1);
                m_arrays[name] = value.starts_with('(');
                m_values[name] = value.starts_with('(') ? "" : value;
            } else if (!line.starts_with("##") && !line.starts_with("$$") && !name.empty()) {
                m_values[name] += m_arrays[name] ? line : "";
            }
        }
        // ITK waits for the next mark behind an array, for ever at the end of a file that is cut.
        if (!m_ended) {
            refuseItk("its file visu_pars is truncated: its line ##END is missing");
        }
    }

    [[nodiscard]] bool has(const std::string& name) const { return m_values.contains(name); }
    [[nodiscard]] std::string text(const std::string& name) const {
        const auto found = m_values.find(name);
        if (found == m_values.end()) {
            refuseItk("its file visu_pars lacks the parameter " + name);
        }
        const std::vector<std::string> words = wordsOf(found->second);
        return words.empty() ? std::string() : words.front();
    }
    /// The numbers of an array; at least `least`.
    [[nodiscard]] Numbers numbers(const std::string& name, std::size_t least) const {
        (void)text(name);
        Numbers all;
        for (const std::string& word : wordsOf(m_values.at(name))) {
            all.push_back(io::detail::numberOf(word));
        }
        if (all.size() < least || !m_arrays.at(name)) {
            refuseItk("the parameter " + name + " of its file visu_pars has " +
                      std::to_string(all.size()) + " numbers; " + std::to_string(least) +
                      " are needed");
        }
        return all;
    }
    [[nodiscard]] std::int64_t count(const std::string& name) const {
        const double number = io::detail::numberOf(text(name));
        if (!(number >= 1 && number < 1e9 && number == std::floor(number))) {
            refuseItk("the parameter " + name + " of its file visu_pars is " + text(name));
        }
        return static_cast<std::int64_t>(number);
    }

  private:
    std::map<std::string, std::string> m_values;
    std::map<std::string, bool> m_arrays;
    bool m_ended = false;
};

PixelType brukerType(const std::string& word) {
    if (word == "_8BIT_SGN_INT") {
        return PixelType::Int8;
    }
    if (word == "_8BIT_UNSGN_INT") {
        return PixelType::UInt8;
    }
    if (word == "_16BIT_SGN_INT") {
        return PixelType::Int16;
    }
    if (word == "_32BIT_SGN_INT") {
        return PixelType::Int32;
    }
    if (word == "_32BIT_FLOAT") {
        return PixelType::Float32;
    }
    refuseItk("its voxels are of the type \"" + word + "\", which ITK does not read");
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-4 * (1 + std::abs(b)); }

/// Orientation of the slices; one for all.
void setDirections(const Parameters& parameters, base::Geometry& geometry) {
    const Numbers all = parameters.numbers("VisuCoreOrientation", 9);
    if (all.size() % 9 != 0) {
        refuseItk("the parameter VisuCoreOrientation of its file visu_pars has " +
                  std::to_string(all.size()) + " numbers; 9 a slice are needed");
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!near(all[i], all[i % 9])) {
            refuseItk("its slices are not parallel, so that they are no volume");
        }
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::size_t world = 0; world < 3; ++world) { // a row is the direction of an axis
            geometry.direction[3 * world + axis] = all[3 * axis + world];
        }
    }
}

/// Distance and direction of slices from their positions. ParaVision's distance may be 0, and the
/// normal may point against the order of the slices.
void setSlices(const Numbers& positions, base::Geometry& geometry) {
    const auto step = [&](std::size_t slice, std::size_t world) {
        return positions[3 * slice + world] - positions[3 * (slice - 1) + world];
    };
    double length = 0;
    for (std::size_t world = 0; world < 3; ++world) {
        length += step(1, world) * step(1, world);
    }
    length = std::sqrt(length);
    double along = 0;
    for (std::size_t world = 0; world < 3; ++world) {
        along += step(1, world) * geometry.direction[3 * world + 2];
    }
    for (std::size_t slice = 2; slice < positions.size() / 3; ++slice) {
        for (std::size_t world = 0; world < 3; ++world) {
            if (std::abs(step(slice, world) - step(1, world)) > 0.01 * length) {
                refuseItk("the distances of its slices differ, so that they are no volume");
            }
        }
    }
    if (!(length > 0) || std::abs(std::abs(along) - length) > 0.01 * length) {
        refuseItk("its slices do not follow each other along their normal");
    }
    geometry.spacing[2] = length;
    for (std::size_t world = 0; world < 3; ++world) {
        geometry.direction[3 * world + 2] *= along < 0 ? -1 : 1;
    }
}

} // namespace

ItkHeader brukerHeader(const std::filesystem::path& file) {
    const Parameters parameters(visuParsOf(file));
    const std::int64_t axes = parameters.count("VisuCoreDim");
    if (axes != 2 && axes != 3) {
        refuseItk("it has " + std::to_string(axes) + " dimensions; images and volumes can be read");
    }
    const auto flat = axes == 2;
    const auto needed = static_cast<std::size_t>(axes);
    const std::int64_t frames = parameters.count("VisuCoreFrameCount");
    const Numbers sizes = parameters.numbers("VisuCoreSize", needed);
    const Numbers lengths = parameters.numbers("VisuCoreExtent", needed);
    const Numbers positions = parameters.numbers("VisuCorePosition", 3);
    for (const char* name : {"VisuCoreDataSlope", "VisuCoreDataOffs"}) {
        (void)parameters.numbers(name, static_cast<std::size_t>(frames));
    }
    ItkHeader header;
    header.voxels = file;
    header.stored = brukerType(parameters.text("VisuCoreWordType"));
    header.pixel = PixelType::Float32;
    header.unit = "mm";
    setDirections(parameters, header.geometry);
    std::array<std::int64_t, 3> count{1, 1, 1};
    for (std::size_t axis = 0; axis < needed; ++axis) {
        if (!(sizes[axis] >= 1 && sizes[axis] < 1e6 && sizes[axis] == std::floor(sizes[axis]))) {
            refuseItk("the parameter VisuCoreSize of its file visu_pars is not a size");
        }
        count[axis] = static_cast<std::int64_t>(sizes[axis]);
        header.geometry.spacing[axis] = lengths[axis] / sizes[axis];
    }
    header.frames = frames;
    if (flat) {
        if (!parameters.has("VisuFGOrderDesc")) {
            refuseItk("its file visu_pars lacks the parameter VisuFGOrderDesc, without which ITK "
                      "reads no slices; convert it to NIfTI (bruker2nifti)");
        }
        count[2] = std::ssize(positions) / 3;
        header.frames = frames / count[2];
        if (count[2] * 3 != std::ssize(positions) || header.frames * count[2] != frames) {
            refuseItk("its file visu_pars gives " + std::to_string(frames) + " pictures, but " +
                      std::to_string(positions.size()) + " coordinates of slices");
        }
        if (count[2] > 1) {
            setSlices(positions, header.geometry);
        } else {
            header.geometry.spacing[2] = parameters.numbers("VisuCoreFrameThickness", 1)[0];
        }
    }
    header.extents = {count[0], count[1], count[2]};
    // Positions are those of a corner; of slices, in the middle of their thickness.
    for (std::size_t world = 0; world < 3; ++world) {
        header.geometry.origin[world] = positions[world];
        for (std::size_t axis = 0; axis < needed; ++axis) {
            header.geometry.origin[world] +=
                header.geometry.spacing[axis] / 2 * header.geometry.direction[3 * world + axis];
        }
    }
    if (parameters.has("VisuCoreDiskSliceOrder") &&
        parameters.text("VisuCoreDiskSliceOrder") == "disk_reverse_slice_order") {
        header.notes.emplace_back("its slices are stored in reverse order and were turned");
    }
    if (header.stored == PixelType::Int32) {
        header.notes.emplace_back("its integers of 32 bits became float32, which rounds those "
                                  "beyond 16777216");
    }
    return header;
}

} // namespace flcc::io::detail
