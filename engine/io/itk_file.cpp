// The one file that calls ITK, for headers alone: it cannot be interrupted, so voxels are read by
// readRaw. No ITK type and no ITK exception leaves this file.

#include <algorithm>
#include <memory>
#include <mutex>

#include <itkImageIOBase.h>
#include <itkMRCImageIO.h>
#include <itkMetaDataObject.h>
#include <itkNiftiImageIO.h>
#include <itkNrrdImageIO.h>
#include <itkOutputWindow.h>
#include <itkVersion.h>

#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/io/detail/backends.h"
#include "engine/io/detail/raw_file.h"

namespace flcc::io::detail {

namespace {

using base::PixelType;
using Component = itk::IOComponentEnum;

/// Sends messages of ITK to the log instead of the screen.
class LogWindow : public itk::OutputWindow {
  public:
    using Self = LogWindow;
    using Pointer = itk::SmartPointer<Self>;
    static Pointer New() {
        Pointer window = new LogWindow;
        window->UnRegister();
        return window;
    }
    void DisplayText(const char* text) override { base::log(base::LogLevel::Debug, text); }
};

void silence() {
    static std::once_flag once;
    std::call_once(once, [] {
        itk::OutputWindow::SetInstance(LogWindow::New());
        itk::Object::SetGlobalWarningDisplay(false);
    });
}

itk::ImageIOBase::Pointer makeReader(Format format) {
    silence();
    switch (format) {
    case Format::Nrrd:
        return itk::NrrdImageIO::New().GetPointer();
    case Format::Nifti:
        return itk::NiftiImageIO::New().GetPointer();
    case Format::Mrc:
        return itk::MRCImageIO::New().GetPointer();
    case Format::Jpeg:
    case Format::MetaImage:
    case Format::Png:
    case Format::Tiff:
        break;
    }
    throw base::Error(base::ErrorCode::Internal, "only NRRD, NIfTI and MRC go through ITK");
}

// ITK's error text holds class names and addresses, so it goes to the log only.
constexpr const char* kDamaged = "the file is truncated, damaged or of a kind that cannot be read";

/// Runs `work` and translates exceptions of ITK.
template <class Work> auto guarded(const std::filesystem::path& path, Work work) {
    const PointLocale locale;
    try {
        return work();
    } catch (const itk::ExceptionObject& exception) {
        base::log(base::LogLevel::Debug, exception.what());
        failInput(path, kDamaged);
    } catch (const std::bad_alloc&) {
        throw base::Error(base::ErrorCode::Memory, shown(path) + " does not fit into memory");
    } catch (const base::Error&) {
        throw;
    } catch (const std::exception& exception) {
        base::log(base::LogLevel::Debug, exception.what());
        failInput(path, kDamaged);
    }
}

PixelType pixelOf(const std::filesystem::path& path, Component component) {
    switch (component) {
    case Component::UCHAR:
        return PixelType::UInt8;
    case Component::CHAR:
        return PixelType::Int8;
    case Component::USHORT:
        return PixelType::UInt16;
    case Component::SHORT:
        return PixelType::Int16;
    case Component::UINT:
        return PixelType::UInt32;
    case Component::INT:
        return PixelType::Int32;
    case Component::ULONG:
    case Component::ULONGLONG:
        return PixelType::UInt64;
    case Component::LONG:
    case Component::LONGLONG:
        return PixelType::Int64;
    case Component::FLOAT:
        return PixelType::Float32;
    case Component::DOUBLE:
        return PixelType::Float64;
    default:
        failInput(path, "its pixels are of a type that cannot be read");
    }
}

/// The type, when it is as large as ours of that name.
PixelType checkedPixel(const std::filesystem::path& path, const itk::ImageIOBase& reader) {
    const PixelType pixel = pixelOf(path, reader.GetComponentType());
    if (static_cast<std::int64_t>(reader.GetComponentSize()) != base::bytesPerVoxel(pixel)) {
        failInput(path, "its pixels are of a type that cannot be read");
    }
    return pixel;
}

void setComponents(const std::filesystem::path& path, const itk::ImageIOBase& reader,
                   ImageInfo& info) {
    using Pixel = itk::IOPixelEnum;
    const auto count = static_cast<int>(reader.GetNumberOfComponents());
    switch (reader.GetPixelType()) {
    case Pixel::RGB:
    case Pixel::RGBA:
        info.components = count;
        break;
    case Pixel::COMPLEX:
        failInput(path, "its pixels are complex numbers, which cannot be read");
    default:
        info.channels = count;
        break;
    }
}

void setMetadata(const itk::ImageIOBase& reader, ImageInfo& info) {
    const auto& dictionary = reader.GetMetaDataDictionary();
    for (const auto& key : dictionary.GetKeys()) {
        std::string value;
        if (key.rfind("ITK_", 0) != 0 && key.rfind("NRRD_", 0) != 0 &&
            itk::ExposeMetaData<std::string>(dictionary, key, value)) {
            info.metadata[key] = value;
        }
    }
}

/// Length of an axis; 1 for one the file does not have.
std::int64_t lengthOf(const itk::ImageIOBase& reader, unsigned axis) {
    return axis < reader.GetNumberOfDimensions()
               ? static_cast<std::int64_t>(reader.GetDimensions(axis))
               : 1;
}

ImageInfo infoOf(const std::filesystem::path& path, Format format, itk::ImageIOBase& reader) {
    reader.SetFileName(path.string());
    reader.ReadImageInformation();
    ImageInfo info;
    info.format = name(format);
    info.pixel = checkedPixel(path, reader);
    setComponents(path, reader, info);
    info.extents = {lengthOf(reader, 0), lengthOf(reader, 1), lengthOf(reader, 2)};
    std::int64_t frames = 1;
    for (unsigned axis = 3; axis < reader.GetNumberOfDimensions(); ++axis) {
        const std::int64_t length = lengthOf(reader, axis);
        if (length < 1 || length > 1'000'000'000 / frames) {
            failInput(path, "its header gives too many frames");
        }
        frames *= length;
    }
    info.frames = static_cast<int>(frames);
    const unsigned used = std::min(3U, reader.GetNumberOfDimensions());
    for (unsigned axis = 0; axis < used; ++axis) {
        info.geometry.spacing[axis] = reader.GetSpacing(axis);
        info.geometry.origin[axis] = reader.GetOrigin(axis) + 0.0; // no -0
        const auto direction = reader.GetDirection(axis);
        for (unsigned row = 0; row < used && row < direction.size(); ++row) {
            info.geometry.direction[3 * row + axis] = direction[row];
        }
    }
    setMetadata(reader, info);
    refineInfo(path, format, info);
    requireSaneHeader(path, info);
    return info;
}

/// value * slope + intercept, a slice at a time.
base::AnyImage rescaled(const base::AnyImage& stored, const VoxelPlace& place, PixelType type,
                        const std::stop_token& stop) {
    base::AnyImage result = base::makeImage(type, base::extentsOf(stored));
    std::visit(
        [&](const auto& from, auto& to) {
            using Voxel = std::remove_pointer_t<decltype(to.data())>;
            const base::Extents& n = from.extents();
            for (std::int64_t z = 0; z < n.z; ++z) {
                for (std::int64_t y = 0; y < n.y; ++y) {
                    throwIfStopped(stop);
                    const auto* source = from.view().row(y, z);
                    Voxel* target = to.view().row(y, z);
                    for (std::int64_t x = 0; x < n.x; ++x) {
                        if constexpr (std::is_floating_point_v<Voxel>) {
                            // The value as a float first, as the library has always done it.
                            const auto value = static_cast<double>(static_cast<Voxel>(source[x]));
                            target[x] = static_cast<Voxel>(value * place.slope + place.intercept);
                        }
                    }
                }
            }
        },
        stored, result);
    return result;
}

} // namespace

ImageInfo itkInfo(const std::filesystem::path& path, Format format, const std::stop_token& stop) {
    checkStructure(path, format, stop);
    const ImageInfo info = guarded(path, [&] { return infoOf(path, format, *makeReader(format)); });
    (void)voxelPlace(path, format, info);
    return info;
}

LoadedImage readItk(const std::filesystem::path& path, Format format, const ReadOptions& options,
                    ReadFiles* files) {
    LoadedImage loaded;
    loaded.info = itkInfo(path, format, options.stop);
    const Choice choice = choose(path, loaded.info, options);
    const VoxelPlace place = voxelPlace(path, format, loaded.info);
    ImageInfo stored = loaded.info;
    stored.pixel = place.stored.value_or(stored.pixel);
    loaded.components = readRaw(stored, place.layout, choice, files, options.stop);
    if (place.stored) {
        if (base::isInteger(loaded.info.pixel)) {
            failInput(path, kDamaged);
        }
        for (base::AnyImage& plane : loaded.components) {
            plane = rescaled(plane, place, loaded.info.pixel, options.stop);
        }
    }
    return loaded;
}

} // namespace flcc::io::detail

namespace flcc::io {

std::string imageLibraryVersion() { return std::string("ITK ") + itk::Version::GetITKVersion(); }

} // namespace flcc::io
