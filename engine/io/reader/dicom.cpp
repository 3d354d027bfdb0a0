// Pixels of DICOM files through ITK, a file at a time.

#include <algorithm>
#include <exception>
#include <limits>
#include <type_traits>
#include <vector>

#include <itkGDCMImageIO.h>
#include <itkImageIOBase.h>
#include <itkObject.h>

#include "engine/io/reader/dicom_header.h"
#include "engine/io/reader/dicom_series.h"
#include "engine/io/reader/reader_answer.h"

namespace flcc::io::detail {

namespace {

using base::Error;
using base::ErrorCode;
using Component = itk::IOComponentEnum;

/// Calls `use` with a null pointer to the type of the components.
template <class Use> void withComponent(Component component, Use use) {
    switch (component) {
    case Component::UCHAR:
        return use(static_cast<const std::uint8_t*>(nullptr));
    case Component::CHAR:
        return use(static_cast<const std::int8_t*>(nullptr));
    case Component::USHORT:
        return use(static_cast<const std::uint16_t*>(nullptr));
    case Component::SHORT:
        return use(static_cast<const std::int16_t*>(nullptr));
    case Component::UINT:
        return use(static_cast<const std::uint32_t*>(nullptr));
    case Component::INT:
        return use(static_cast<const std::int32_t*>(nullptr));
    case Component::FLOAT:
        return use(static_cast<const float*>(nullptr));
    case Component::DOUBLE:
        return use(static_cast<const double*>(nullptr));
    default:
        throw Error(ErrorCode::Input, "its pixels are of a type that cannot be read");
    }
}

/// Converts the values of one file. ITK applied slope and intercept in a type that it chose.
template <class From, class To>
void convert(const From* from, base::Image<To>& to, const std::string& name) {
    for (std::int64_t i = 0; i < to.count(); ++i) {
        if constexpr (std::is_integral_v<To>) {
            const auto value = static_cast<double>(from[i]);
            if (!(value >= static_cast<double>(std::numeric_limits<To>::min()) &&
                  value <= static_cast<double>(std::numeric_limits<To>::max()))) {
                throw Error(ErrorCode::Input,
                            "a pixel of " + name + " lies beyond the range that its header gives");
            }
        }
        to.data()[i] = static_cast<To>(from[i]);
    }
}

void sendFile(const DicomFile& file, const FoundImage& image, ReaderAnswer& answer) {
    const std::string name = file.path.filename().string();
    // Several copies of the pixels, some of them in double.
    constexpr std::int64_t kBytesOfValue = 64;
    const MemoryLimit limit(headerBytes(file.path) +
                            std::min(base::voxelCount(file.extents), INT64_MAX / 1024) *
                                std::min(file.components, 4) * kBytesOfValue);
    const auto reader = itk::GDCMImageIO::New();
    answer.entering(name);
    reader->SetFileName(file.path.string());
    reader->ReadImageInformation();
    const auto length = [&](unsigned axis) -> std::int64_t {
        return axis < reader->GetNumberOfDimensions()
                   ? static_cast<std::int64_t>(reader->GetDimensions(axis))
                   : 1;
    };
    const base::Extents extents{length(0), length(1), length(2)};
    if (extents != file.extents ||
        static_cast<int>(reader->GetNumberOfComponents()) != image.components) {
        throw Error(ErrorCode::Input, "the header of " + name + " contradicts its pixels");
    }
    std::vector<char> values(static_cast<std::size_t>(reader->GetImageSizeInBytes()));
    reader->Read(values.data());
    base::AnyImage converted =
        base::makeImage(image.pixel, {extents.x * image.components, extents.y, extents.z});
    withComponent(reader->GetComponentType(), [&](const auto* type) {
        std::visit(
            [&](auto& plane) {
                convert(reinterpret_cast<decltype(type)>(values.data()), plane, name);
            },
            converted);
    });
    std::visit(
        [&](const auto& plane) {
            answer.voxels(plane.data(),
                          plane.count() * static_cast<std::int64_t>(sizeof(*plane.data())));
        },
        converted);
}

} // namespace

void answerDicom(const std::filesystem::path& path, bool withVoxels, ReaderAnswer& answer) {
    itk::Object::SetGlobalWarningDisplay(false);
    const DicomSeries series = findDicomSeries(path, answer);
    answer.header(series.image, withVoxels);
    for (std::size_t i = 0; withVoxels && i < series.files.size(); ++i) {
        sendFile(series.files[i], series.image, answer);
    }
}

} // namespace flcc::io::detail
