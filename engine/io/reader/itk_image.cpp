// Formats that ITK reads: one table, one reader. No type and no exception of ITK leaves this file.

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <iostream>

#include <itkBioRadImageIO.h>
#include <itkBruker2dseqImageIO.h>
#include <itkGiplImageIO.h>
#include <itkStimulateImageIO.h>
#include <itkVTKImageIO.h>

#include "engine/base/error.h"
#include "engine/io/rare/headers.h"
#include "engine/io/reader/reader_answer.h"

namespace flcc::io::detail {

namespace {

using base::PixelType;
using Io = itk::ImageIOBase;

/// A format: our look at its header, and ITK's class.
struct ItkFormat {
    std::string_view word; ///< FormatRow::reader
    ItkHeader (*header)(const std::filesystem::path&);
    Io::Pointer (*make)();
    /// ITK's own look at the header refuses good files; its sizes are set from ours.
    bool oursAlone = false;
    /// Its CanStreamRead() holds for binary voxels, and tests/engine/io/region_test.cpp reads
    /// boxes.
    bool regions = false;
};

template <class Class> Io::Pointer makeIo() { return Class::New().GetPointer(); }

constexpr std::array kItkFormats{
    ItkFormat{"vtk", vtkHeader, makeIo<itk::VTKImageIO>, false, true},
    ItkFormat{"gipl", giplHeader, makeIo<itk::GiplImageIO>},
    // Of a file with 16 bits and notes, ITK 5.2 says that it cannot be read.
    ItkFormat{"biorad", bioRadHeader, makeIo<itk::BioRadImageIO>, true},
    ItkFormat{"stimulate", stimulateHeader, makeIo<itk::StimulateImageIO>},
    ItkFormat{"bruker", brukerHeader, makeIo<itk::Bruker2dseqImageIO>},
};

using Component = itk::IOComponentEnum;
constexpr std::array<std::pair<Component, PixelType>, 12> kComponents{
    {{Component::UCHAR, PixelType::UInt8},
     {Component::CHAR, PixelType::Int8},
     {Component::USHORT, PixelType::UInt16},
     {Component::SHORT, PixelType::Int16},
     {Component::UINT, PixelType::UInt32},
     {Component::INT, PixelType::Int32},
     {Component::ULONG, PixelType::UInt64},
     {Component::LONG, PixelType::Int64},
     {Component::ULONGLONG, PixelType::UInt64},
     {Component::LONGLONG, PixelType::Int64},
     {Component::FLOAT, PixelType::Float32},
     {Component::DOUBLE, PixelType::Float64}}};
static_assert(sizeof(long) == 8);

/// Sizes of an image of ITK along four axes; those that it does not have are 1.
std::array<std::int64_t, 4> sizesOf(const Io& io) {
    std::array<std::int64_t, 4> sizes{1, 1, 1, 1};
    for (unsigned axis = 0; axis < io.GetNumberOfDimensions() && axis < 4; ++axis) {
        sizes[axis] = static_cast<std::int64_t>(io.GetDimensions(axis));
    }
    return sizes;
}

std::array<std::int64_t, 4> sizesOf(const ItkHeader& header) {
    return {header.extents.x, header.extents.y, header.extents.z, header.frames};
}

/// ITK writes class names and addresses into its messages: they are for the log.
[[noreturn]] void refuseAs(const std::exception& error) {
    std::cerr << error.what() << "\n";
    refuseItk("ITK cannot read it; it is damaged, or of a kind that ITK does not know");
}

/// Lets ITK read the header. **Errors**: Input where it finds other sizes or another type than we.
void readInformation(Io& io, const ItkFormat& format, const ItkHeader& header) {
    if (format.oursAlone) {
        const auto sizes = sizesOf(header);
        io.SetNumberOfDimensions(4);
        for (unsigned axis = 0; axis < 4; ++axis) {
            io.SetDimensions(axis, static_cast<Io::SizeValueType>(sizes[axis]));
        }
        io.SetNumberOfComponents(static_cast<unsigned>(header.components));
        for (const auto& [component, pixel] : kComponents) {
            if (pixel == header.pixel) {
                io.SetComponentType(component);
                break;
            }
        }
        return;
    }
    try {
        io.ReadImageInformation();
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        refuseAs(error);
    }
    const bool sameType = std::ranges::any_of(kComponents, [&](const auto& each) {
        return each.first == io.GetComponentType() && each.second == header.pixel;
    });
    if (!sameType || io.GetNumberOfDimensions() > 4 || sizesOf(io) != sizesOf(header) ||
        io.GetNumberOfComponents() != static_cast<unsigned>(header.components)) {
        refuseItk("ITK understands its header in another way than FLCC (" +
                  base::toString(header.extents) + " voxels of type " +
                  std::string(base::name(header.pixel)) +
                  "); it is damaged, or of a kind that ITK misreads");
    }
}

FoundImage foundOf(const ItkHeader& header) {
    FoundImage found;
    found.pixel = header.pixel;
    found.extents = header.extents;
    found.frames = static_cast<int>(header.frames);
    (header.colour ? found.components : found.channels) = header.components;
    found.geometry = header.geometry;
    found.unit = header.unit;
    found.notes = header.notes;
    return found;
}

/// Sends one frame of `extents`, and of channels one.
void sendFrame(const std::vector<char>& all, const FoundImage& found, const base::Extents& extents,
               const Request& request, ReaderAnswer& answer) {
    const auto bytes = static_cast<std::size_t>(base::bytesPerVoxel(found.pixel));
    const auto voxels = static_cast<std::size_t>(base::voxelCount(extents));
    const auto step = bytes * static_cast<std::size_t>(found.components * found.channels);
    const char* frame =
        all.data() + static_cast<std::size_t>(std::max(request.frame, 0)) * voxels * step;
    if (found.channels == 1) {
        answer.voxels(frame, static_cast<std::int64_t>(voxels * step));
        return;
    }
    std::vector<char> channel(voxels * bytes);
    const char* from = frame + static_cast<std::size_t>(request.channel) * bytes;
    for (std::size_t i = 0; i < voxels; ++i) {
        std::memcpy(channel.data() + i * bytes, from + i * step, bytes);
    }
    answer.voxels(channel.data(), std::ssize(channel));
}

} // namespace

void answerItk(const Request& request, ReaderAnswer& answer) {
    constexpr int kMostSeconds = 50;
    answer.limitHeader(kMostSeconds, "its header is damaged: reading it did not end");
    itk::Object::SetGlobalWarningDisplay(false);
    const auto* const format = std::ranges::find(kItkFormats, request.format, &ItkFormat::word);
    ItkHeader header = format->header(request.path);
    requireVoxels(header);
    const Io::Pointer io = format->make();
    io->SetFileName(std::filesystem::absolute(request.path).string());
    readInformation(*io, *format, header);
    FoundImage found = foundOf(header);
    found.regions = format->regions && !header.text && io->CanStreamRead();
    if (!request.picks(found)) {
        answer.header(found, false);
        return;
    }
    const base::Box box =
        found.regions ? request.boxOf(found) : base::Box{{0, 0, 0}, found.extents};
    answer.header(found, box);
    const std::array<std::int64_t, 4> corner{box.corner.x, box.corner.y, box.corner.z, 0};
    const std::array<std::int64_t, 4> sizes{box.extents.x, box.extents.y, box.extents.z,
                                            header.frames};
    itk::ImageIORegion region(io->GetNumberOfDimensions());
    for (unsigned axis = 0; axis < io->GetNumberOfDimensions(); ++axis) {
        region.SetIndex(axis, static_cast<itk::IndexValueType>(corner[axis]));
        region.SetSize(axis, static_cast<itk::SizeValueType>(sizes[axis]));
    }
    io->SetUseStreamedReading(found.regions);
    io->SetIORegion(region);
    header.stored = header.pixel; // as it lies in memory
    header.extents = box.extents;
    std::vector<char> all(static_cast<std::size_t>(promisedBytes(header)));
    try {
        io->Read(all.data());
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        refuseAs(error);
    }
    sendFrame(all, found, box.extents, request, answer);
}

} // namespace flcc::io::detail
