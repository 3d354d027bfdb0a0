// The header of VTK's legacy format. ITK 5.2 reads the same one, but takes what is missing from
// memory that it did not set (README.md).

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fstream>
#include <limits>

#include "engine/io/rare/headers.h"

namespace flcc::io::detail {

namespace {

using base::PixelType;

/// The lines of a header of text. Empty ones are skipped, as ITK does.
class HeaderLines {
  public:
    explicit HeaderLines(const std::filesystem::path& file) : m_in(file, std::ios::binary) {}

    /// The next line in lower case; the file may not end with it.
    std::string next() {
        constexpr std::size_t kLongest = 4096;
        std::string line;
        while (line.empty()) {
            char letter = 0;
            while (m_in.get(letter) && letter != '\n' && line.size() < kLongest) {
                line += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
            }
            if (!m_in || letter != '\n') {
                refuseItk("the file is truncated within its header, or damaged there");
            }
        }
        return line;
    }
    [[nodiscard]] std::int64_t position() { return m_in.tellg(); }
    void go(std::int64_t position) { m_in.seekg(position); }
    std::ifstream& stream() { return m_in; }

  private:
    std::ifstream m_in;
};

std::array<double, 3> threeNumbers(const std::vector<std::string>& words) {
    if (words.size() < 4) {
        refuseItk("its header has fewer than three numbers for " + words.front());
    }
    return {numberOf(words[1]), numberOf(words[2]), numberOf(words[3])};
}

base::Extents extentsOf(const std::array<double, 3>& numbers) {
    return {lengthOf(numbers[0]), lengthOf(numbers[1]), lengthOf(numbers[2])};
}

struct TypeWord {
    std::string_view word;
    PixelType type;
};

PixelType vtkType(const std::string& word) {
    constexpr std::array kTypes{
        TypeWord{"unsigned_char", PixelType::UInt8},   TypeWord{"char", PixelType::Int8},
        TypeWord{"unsigned_short", PixelType::UInt16}, TypeWord{"short", PixelType::Int16},
        TypeWord{"unsigned_int", PixelType::UInt32},   TypeWord{"int", PixelType::Int32},
        TypeWord{"unsigned_long", PixelType::UInt64},  TypeWord{"long", PixelType::Int64},
        TypeWord{"vtktypeuint64", PixelType::UInt64},  TypeWord{"vtktypeint64", PixelType::Int64},
        TypeWord{"float", PixelType::Float32},         TypeWord{"double", PixelType::Float64}};
    const auto* const found = std::ranges::find(kTypes, word, &TypeWord::word);
    if (found == kTypes.end()) {
        refuseItk("its voxels are of the type " + word + ", which ITK does not read");
    }
    return found->type;
}

/// Whether a number of text can be read as the type without loss of its whole part.
bool fits(double value, PixelType type) {
    const auto between = [value](auto limits) {
        using Limits = decltype(limits);
        return value >= static_cast<double>(Limits::lowest()) &&
               value <= static_cast<double>(Limits::max());
    };
    const bool whole = value == std::floor(value);
    switch (type) {
    case PixelType::UInt8:
        return whole && between(std::numeric_limits<std::uint8_t>());
    case PixelType::Int8:
        return whole && between(std::numeric_limits<std::int8_t>());
    case PixelType::UInt16:
        return whole && between(std::numeric_limits<std::uint16_t>());
    case PixelType::Int16:
        return whole && between(std::numeric_limits<std::int16_t>());
    case PixelType::UInt32:
        return whole && between(std::numeric_limits<std::uint32_t>());
    case PixelType::Int32:
        return whole && between(std::numeric_limits<std::int32_t>());
    case PixelType::UInt64:
        return whole && value >= 0 && value < 0x1p64;
    case PixelType::Int64:
        return whole && value >= -0x1p63 && value < 0x1p63;
    case PixelType::Float32:
        return between(std::numeric_limits<float>());
    default:
        return std::isfinite(value);
    }
}

/// Reads all numbers of text once: where one is missing or none, ITK gives zeros from there on.
void countNumbers(std::ifstream& in, std::int64_t count, PixelType type) {
    std::string word;
    for (std::int64_t i = 0; i < count; ++i) {
        if (!(in >> word)) {
            refuseItk("the file is truncated; its header promises " + std::to_string(count) +
                      " numbers and " + std::to_string(i) + " are there");
        }
        if (!fits(numberOf(word), type)) {
            refuseItk("number " + std::to_string(i + 1) +
                      " of its voxels does not fit into the type of the voxels");
        }
    }
}

/// Takes the line that names the voxels; false for another line.
bool takeVtkVoxels(const std::vector<std::string>& words, bool text, ItkHeader& header) {
    const bool scalars = words[0] == "scalars";
    const bool colours = words[0] == "color_scalars";
    if (!scalars && !colours && words[0] != "vectors") {
        return false;
    }
    if (words.size() < 3) {
        refuseItk("the line " + words[0] + " of its header is not complete");
    }
    std::int64_t components = 3;
    if (scalars) {
        components = words.size() > 3 ? lengthOf(numberOf(words[3])) : 1;
    } else if (colours) {
        components = lengthOf(numberOf(words[2]));
    }
    if (components > 4) {
        refuseItk("its voxels have " + std::to_string(components) +
                  " numbers each; up to 4 can be read");
    }
    header.components = static_cast<int>(components);
    header.colour = colours;
    header.stored = !colours ? vtkType(words[2]) : text ? PixelType::Float32 : PixelType::UInt8;
    header.pixel = header.stored;
    if (!colours && components > 1) {
        header.notes.push_back("the " + std::to_string(components) +
                               " numbers of each voxel are its channels");
    }
    return true;
}

} // namespace

ItkHeader vtkHeader(const std::filesystem::path& file) {
    HeaderLines lines(file);
    (void)lines.next(); // the mark
    (void)lines.next(); // the title
    const std::string coding = lines.next();
    const bool text = coding.find("ascii") != std::string::npos;
    if (!text && coding.find("binary") == std::string::npos) {
        refuseItk("its third line says neither ASCII nor BINARY");
    }
    std::vector<std::string> words = wordsOf(lines.next());
    if (words.size() < 2 || words[0] != "dataset" || words[1] != "structured_points") {
        refuseItk("it holds no image: its fourth line is not DATASET STRUCTURED_POINTS; save the "
                  "volume as an image in ParaView");
    }
    words = wordsOf(lines.next());
    if (words.empty() || words[0] != "dimensions") {
        refuseItk("its fifth line does not begin with DIMENSIONS, as ITK needs it; save it as "
                  "MetaImage or NRRD in ParaView or Slicer");
    }
    ItkHeader header;
    header.voxels = file;
    header.extents = extentsOf(threeNumbers(words));
    while (true) {
        words = wordsOf(lines.next());
        if (words.empty()) {
            continue;
        }
        if (words[0] == "spacing" || words[0] == "aspect_ratio") {
            header.geometry.spacing = threeNumbers(words);
        } else if (words[0] == "origin") {
            header.geometry.origin = threeNumbers(words);
        } else if (words[0] == "point_data" && words.size() > 1) {
            if (numberOf(words[1]) != static_cast<double>(header.extents.x) *
                                          static_cast<double>(header.extents.y) *
                                          static_cast<double>(header.extents.z)) {
                refuseItk("DIMENSIONS and POINT_DATA of its header contradict each other");
            }
        } else if (takeVtkVoxels(words, text, header)) {
            break;
        } else {
            refuseItk(
                "its header has a line " + words[0] +
                ", which ITK does not read before the voxels; save it as MetaImage or NRRD in "
                "ParaView or Slicer");
        }
    }
    header.offset = lines.position();
    if (words[0] == "scalars") {
        if (lines.next().starts_with("lookup_table")) {
            header.offset = lines.position();
        }
        lines.go(header.offset);
    }
    if (text) {
        const std::int64_t promised = promisedBytes(header);
        countNumbers(lines.stream(), promised / base::bytesPerVoxel(header.stored), header.pixel);
        header.present = promised;
        header.text = true;
    }
    return header;
}

} // namespace flcc::io::detail
