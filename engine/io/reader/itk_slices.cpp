// Scanners' formats with a file a slice, which ITK joins to a volume: GE Signa 4.x and 5.x, GE
// Advantage Windows, Siemens Vision. No type and no exception of ITK leaves this file.

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iostream>
#include <memory>

#include <itkGE4ImageIO.h>
#include <itkGE5ImageIO.h>
#include <itkGEAdwImageIO.h>
#include <itkSiemensVisionImageIO.h>

#include "engine/base/error.h"
#include "engine/io/rare/headers.h"
#include "engine/io/reader/reader_answer.h"

namespace flcc::io::detail {

namespace {

namespace fs = std::filesystem;

struct Slice {
    fs::path file;
    double location = 0;
    std::int64_t offset = 0;
};

/// One of ITK's classes, with the list of files that it keeps.
template <class Class> class Opened : public Class {
  public:
    using Self = Opened;
    using Pointer = itk::SmartPointer<Self>;
    itkFactorylessNewMacro(Self);

    [[nodiscard]] std::vector<Slice> slices() {
        std::vector<Slice> all;
        for (auto at = this->m_FilenameList->begin(); at != this->m_FilenameList->end(); ++at) {
            all.push_back(
                {(*at)->GetImageFileName(), (*at)->GetSliceLocation(), (*at)->GetSliceOffset()});
        }
        return all;
    }

    /// The middle of the first voxel of a slice, left, back and up (LPS). Of Signa 5.x alone.
    [[nodiscard]] base::Point cornerOf(const fs::path& file) {
        const std::unique_ptr<GEImageHeader> header(this->ReadHeader(file.c_str()));
        return {-double{header->tlhcR}, -double{header->tlhcA}, double{header->tlhcS}};
    }
};

/// A big-endian integer of a file; 0 behind its end.
std::int64_t integerAt(std::ifstream& in, std::int64_t offset, int bytes) {
    std::uint64_t value = 0;
    in.clear();
    in.seekg(offset);
    for (int i = 0; i < bytes; ++i) {
        value = value << 8 | static_cast<unsigned char>(in.get());
    }
    const int unused = 64 - 8 * bytes;
    return in ? static_cast<std::int64_t>(value << unused) >> unused : 0;
}

/// Of Signa 5.x: voxels that are packed, or parts of the header that ITK would read beyond.
void requireGe5(std::ifstream& in) {
    if (integerAt(in, 0, 4) != 0x494d4746) {
        return; // from a tape, without the part of the header that says so
    }
    if (integerAt(in, 20, 4) != 1 || integerAt(in, 16, 4) != 16) {
        refuseItk("its voxels are packed, or do not have 16 bits; ITK reads plain ones of 16 bits");
    }
    const bool second = integerAt(in, 52, 2) == 2;
    const bool complete = second || (integerAt(in, 136, 4) >= 312 && integerAt(in, 144, 4) >= 16 &&
                                     integerAt(in, 152, 4) >= 420);
    if (!complete) {
        refuseItk("the parts of its header are shorter than those of any Signa 5.x file");
    }
}

/// Of Signa 4.x: ITK takes the last bytes as voxels, so that a file that is cut would be shifted.
void requireGe4(std::ifstream& in) {
    constexpr std::int64_t kHeader = 14336;
    const std::int64_t voxels = integerAt(in, 5394, 2) * integerAt(in, 5396, 2) * 2;
    in.clear();
    in.seekg(0, std::ios::end);
    const auto size = static_cast<std::int64_t>(in.tellg());
    if (voxels < 2 || size != kHeader + voxels) {
        refuseItk("the file is truncated or damaged; its header promises " +
                  std::to_string(voxels) + " bytes of voxels and " +
                  std::to_string(std::max<std::int64_t>(0, size - kHeader)) + " are there");
    }
}

/// The others say in their header how long the file is, which ITK compares.
void requireNothing(std::ifstream& /*in*/) {}

/// Of Siemens Vision, the thickness of a slice in millimetres, which ITK cuts to a whole number.
double siemensThickness(const fs::path& file) {
    constexpr std::streamsize kLength = 7;
    std::array<char, kLength> text{};
    std::ifstream in(file, std::ios::binary);
    in.seekg(5794);
    in.read(text.data(), kLength);
    const std::vector<std::string> words = wordsOf(std::string_view(text.data(), kLength));
    return words.empty() ? 0.0 : numberOf(words.front());
}

/// Checks files and places of slices; sets their distance.
void setPlaces(const std::vector<Slice>& slices, void (*require)(std::ifstream&),
               FoundImage& found) {
    const std::int64_t bytes = found.extents.x * found.extents.y * 2;
    for (const Slice& slice : slices) {
        std::ifstream in(slice.file, std::ios::binary);
        require(in);
        std::error_code error;
        const auto size = static_cast<std::int64_t>(fs::file_size(slice.file, error));
        if (error || slice.offset < 0 || size - slice.offset < bytes) {
            refuseItk("its file " + slice.file.filename().string() + " is truncated");
        }
        found.files.push_back(slice.file.filename().string());
    }
    if (slices.size() < 2) {
        return;
    }
    const double step = slices[1].location - slices[0].location;
    for (std::size_t i = 1; i < slices.size(); ++i) {
        const double own = slices[i].location - slices[i - 1].location;
        if (!(std::abs(step) > 0) || std::abs(own - step) > 0.02 * std::abs(step)) {
            refuseItk("its slices are not evenly spaced: between " +
                      slices[i - 1].file.filename().string() + " and " +
                      slices[i].file.filename().string() +
                      " one is missing or doubled, or the folder holds several scans");
        }
    }
    if (std::abs(found.geometry.spacing[2] - std::abs(step)) > 0.02 * std::abs(step)) {
        found.notes.emplace_back("the distance of its slices is that of their positions, which "
                                 "differs from the thickness in the header");
        found.geometry.spacing[2] = std::abs(step);
    }
}

/// Slices must follow each other along the third axis, which ITK takes from the normal of one.
void requireAlong(const base::Point& first, const base::Point& last, const FoundImage& found) {
    const base::Geometry& geometry = found.geometry;
    const double length = geometry.spacing[2] * static_cast<double>(found.extents.z - 1);
    double off = 0;
    for (std::size_t world = 0; world < 3; ++world) {
        off = std::max(
            off, std::abs(last[world] - first[world] - length * geometry.direction[3 * world + 2]));
    }
    if (!(off <= 0.02 * length)) {
        refuseItk("the corners of its slices do not follow each other along their normal");
    }
}

std::int64_t otherFiles(const fs::path& file, std::size_t own) {
    std::error_code error;
    std::int64_t count = 0;
    for (fs::directory_iterator at(fs::absolute(file).parent_path(), error), end;
         !error && at != end; at.increment(error)) {
        count += at->is_regular_file(error) ? 1 : 0;
    }
    return std::max<std::int64_t>(0, count - static_cast<std::int64_t>(own));
}

template <class Class>
void answerSlices(const Request& request, ReaderAnswer& answer, void (*require)(std::ifstream&),
                  bool placed) {
    constexpr int kMostSeconds = 50;
    answer.limitHeader(kMostSeconds, "its header is damaged: reading it did not end");
    itk::Object::SetGlobalWarningDisplay(false);
    {
        std::ifstream in(request.path, std::ios::binary);
        require(in);
    }
    const auto io = Opened<Class>::New();
    io->SetFileName(fs::absolute(request.path).string());
    FoundImage found;
    std::vector<Slice> slices;
    try {
        io->ReadImageInformation();
        slices = io->slices();
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        refuseItk("ITK cannot read it; it is damaged, or of a kind that ITK does not know");
    }
    constexpr std::uint64_t kLongest = 32767; // the header has 16 bits
    for (unsigned axis = 0; axis < 3; ++axis) {
        const std::uint64_t length = io->GetDimensions(axis);
        if (length < 1 || length > kLongest) {
            refuseItk("its header gives a size of " + std::to_string(length));
        }
        found.geometry.spacing[axis] = io->GetSpacing(axis);
        found.geometry.origin[axis] = io->GetOrigin(axis);
        for (unsigned world = 0; world < 3; ++world) {
            found.geometry.direction[3 * world + axis] = io->GetDirection(axis)[world];
        }
    }
    found.pixel = base::PixelType::Int16;
    found.extents = {static_cast<std::int64_t>(io->GetDimensions(0)),
                     static_cast<std::int64_t>(io->GetDimensions(1)),
                     static_cast<std::int64_t>(io->GetDimensions(2))};
    found.unit = "mm";
    if (slices.size() != static_cast<std::size_t>(found.extents.z)) {
        refuseItk("ITK counts its slices in two ways");
    }
    if (request.format == "siemens") {
        found.geometry.spacing[2] = siemensThickness(request.path);
    }
    setPlaces(slices, require, found);
    if (placed && slices.size() > 1) {
        requireAlong(io->cornerOf(slices.front().file), io->cornerOf(slices.back().file), found);
    }
    if (!placed) {
        found.notes.emplace_back("where it lies in the patient was not read: its origin is 0");
    }
    found.skippedFiles = otherFiles(request.path, slices.size());
    const bool sends = request.picks(found);
    answer.header(found, sends);
    if (!sends) {
        return;
    }
    std::vector<std::int16_t> voxels(static_cast<std::size_t>(base::voxelCount(found.extents)));
    try {
        io->Read(voxels.data());
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        refuseItk("one of its files is truncated, or was changed while it was read");
    }
    answer.voxels(voxels.data(), std::ssize(voxels) * 2);
}

} // namespace

void answerItkSlices(const Request& request, ReaderAnswer& answer) {
    if (request.format == "ge4") {
        answerSlices<itk::GE4ImageIO>(request, answer, requireGe4, false);
    } else if (request.format == "ge5") {
        answerSlices<itk::GE5ImageIO>(request, answer, requireGe5, true);
    } else if (request.format == "geadw") {
        answerSlices<itk::GEAdwImageIO>(request, answer, requireNothing, false);
    } else {
        answerSlices<itk::SiemensVisionImageIO>(request, answer, requireNothing, false);
    }
}

} // namespace flcc::io::detail
