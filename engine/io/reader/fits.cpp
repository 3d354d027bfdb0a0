// The first image of a FITS file through CFITSIO.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <fitsio.h>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/io/reader/reader_answer.h"

namespace flcc::io::detail {

namespace {

using base::PixelType;

[[noreturn]] void refuse(const std::string& sentence) {
    throw base::Error(base::ErrorCode::Input, sentence);
}

struct CloseFits {
    void operator()(fitsfile* file) const {
        int status = 0;
        ::fits_close_file(file, &status);
    }
};
using FitsFile = std::unique_ptr<fitsfile, CloseFits>;

/// What the values are with BSCALE and BZERO applied.
struct FitsType {
    int image;
    int values;
    PixelType pixel;
};
constexpr std::array<FitsType, 10> kFitsTypes{{{BYTE_IMG, TBYTE, PixelType::UInt8},
                                               {SBYTE_IMG, TSBYTE, PixelType::Int8},
                                               {SHORT_IMG, TSHORT, PixelType::Int16},
                                               {USHORT_IMG, TUSHORT, PixelType::UInt16},
                                               {LONG_IMG, TINT, PixelType::Int32},
                                               {ULONG_IMG, TUINT, PixelType::UInt32},
                                               {LONGLONG_IMG, TLONGLONG, PixelType::Int64},
                                               {ULONGLONG_IMG, TULONGLONG, PixelType::UInt64},
                                               {FLOAT_IMG, TFLOAT, PixelType::Float32},
                                               {DOUBLE_IMG, TDOUBLE, PixelType::Float64}}};

constexpr int kMostAxes = 9;

struct FitsImage {
    FitsType type{};
    std::vector<LONGLONG> lengths;
    int stored = 0; ///< BITPIX
    bool packed = false;
};

/// The number of a keyword; nothing if it is missing or no number.
std::optional<double> numberOf(fitsfile* file, const std::string& key) {
    int status = 0;
    double value = 0;
    const int failed = ::fits_read_key(file, TDOUBLE, key.c_str(), &value, nullptr, &status);
    return failed == 0 && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string textOf(fitsfile* file, const std::string& key) {
    int status = 0;
    std::array<char, FLEN_VALUE> value{};
    const bool there =
        ::fits_read_key(file, TSTRING, key.c_str(), value.data(), nullptr, &status) == 0;
    return there ? base::excerpt(value.data()) : std::string();
}

/// Whether the current part of the file is an image with pixels.
bool isImagePart(fitsfile* file) {
    int status = 0;
    int kind = 0;
    int axes = 0;
    std::array<LONGLONG, kMostAxes> lengths{};
    if (::fits_get_hdu_type(file, &kind, &status) != 0 || kind != IMAGE_HDU ||
        ::fits_get_img_dim(file, &axes, &status) != 0 || axes < 1) {
        return false;
    }
    // One with too many axes or an axis of 0 is refused later: it is meant as an image.
    (void)::fits_get_img_sizell(file, std::min(axes, kMostAxes), lengths.data(), &status);
    return status == 0 && lengths[0] > 0;
}

/// Goes to the first image; returns how many there are.
int goToImage(fitsfile* file) {
    constexpr int kMostParts = 10'000;
    int images = 0;
    int first = 0;
    int status = 0;
    for (int part = 1; part <= kMostParts; ++part) {
        if (isImagePart(file)) {
            first = images == 0 ? part : first;
            ++images;
        }
        if (::fits_movrel_hdu(file, 1, nullptr, &status) != 0) {
            break;
        }
    }
    status = 0;
    if (images == 0 || ::fits_movabs_hdu(file, first, nullptr, &status) != 0) {
        refuse("the FITS file holds no image, or it is truncated or damaged");
    }
    return images;
}

FitsImage imageOf(fitsfile* file) {
    int status = 0;
    int kind = 0;
    int axes = 0;
    FitsImage image;
    (void)::fits_get_img_type(file, &image.stored, &status);
    (void)::fits_get_img_equivtype(file, &kind, &status);
    (void)::fits_get_img_dim(file, &axes, &status);
    if (status != 0 || axes < 1 || axes > kMostAxes) {
        refuse("the header of the FITS file is damaged");
    }
    image.lengths.resize(static_cast<std::size_t>(axes), 0);
    if (::fits_get_img_sizell(file, axes, image.lengths.data(), &status) != 0) {
        refuse("the header of the FITS file is damaged");
    }
    const auto* type = std::ranges::find(kFitsTypes, kind, &FitsType::image);
    if (type == kFitsTypes.end()) {
        refuse("its values are of the FITS type " + std::to_string(kind) +
               ", which cannot be read");
    }
    image.type = *type;
    image.packed = ::fits_is_compressed_image(file, &status) != 0;
    return image;
}

/// Extents and frames. The fourth axis holds frames.
void setLengths(const FitsImage& image, FoundImage& found) {
    constexpr LONGLONG kLongest = LONGLONG{1} << 40;
    std::vector<LONGLONG> lengths = image.lengths;
    while (lengths.size() > 4 && lengths.back() == 1) {
        lengths.pop_back();
    }
    if (lengths.size() > 4) {
        refuse("its FITS image has " + std::to_string(lengths.size()) +
               " axes; 1 to 4 can be read");
    }
    lengths.resize(4, 1);
    for (const LONGLONG length : lengths) {
        if (length < 1 || length > kLongest) {
            refuse("its header gives an axis of " + std::to_string(length) + " voxels");
        }
    }
    if (lengths[3] > 1'000'000'000) {
        refuse("its header gives too many frames");
    }
    found.extents = {lengths[0], lengths[1], lengths[2]};
    found.frames = static_cast<int>(lengths[3]);
}

/// Refuses what the file cannot hold, before anything of that size is allocated.
void requireFitsBytes(fitsfile* file, const Request& request, const FitsImage& image,
                      const FoundImage& found) {
    constexpr double kAnyRatio = 65536; // values that one packed byte may mean
    const auto size = static_cast<double>(std::filesystem::file_size(request.path));
    const double values = static_cast<double>(found.extents.x) *
                          static_cast<double>(found.extents.y) *
                          static_cast<double>(found.extents.z) * found.frames;
    LONGLONG begin = 0;
    int status = 0;
    if (::fits_get_hduaddrll(file, nullptr, &begin, nullptr, &status) != 0) {
        refuse("the header of the FITS file is damaged");
    }
    const double bytes = values * std::abs(image.stored) / 8;
    const double present = std::max(0.0, size - static_cast<double>(begin));
    if (image.packed ? values / kAnyRatio > size : bytes > present) {
        refuse(image.packed
                   ? "its header promises more voxels than the file can hold"
                   : "the file is truncated; its header promises " +
                         std::to_string(static_cast<std::int64_t>(std::min(bytes, 9e18))) +
                         " bytes of pixels and " +
                         std::to_string(static_cast<std::int64_t>(present)) + " are there");
    }
}

/// CDELT counts where CUNIT names a length; an image of the sky has angles.
void setSpacing(fitsfile* file, FoundImage& found) {
    constexpr std::array<const char*, 5> kUnits{"m", "mm", "um", "nm", "Angstrom"};
    constexpr std::array<const char*, 5> kNames{"m", "mm", "um", "nm", "A"};
    constexpr std::array<double, 5> kMetres{1, 1e-3, 1e-6, 1e-9, 1e-10};
    const std::array<std::int64_t, 3> extents{found.extents.x, found.extents.y, found.extents.z};
    base::Geometry geometry;
    std::size_t first = kUnits.size();
    for (std::size_t axis = 0; axis < (extents[2] > 1 ? 3U : 2U); ++axis) {
        const std::string number = std::to_string(axis + 1);
        const std::optional<double> step = numberOf(file, "CDELT" + number);
        const std::string unit = textOf(file, "CUNIT" + number);
        const auto at = static_cast<std::size_t>(std::ranges::find(kUnits, unit) - kUnits.begin());
        if (!step || *step == 0 || at == kUnits.size()) {
            if (step && *step != 1) {
                found.notes.push_back("its CDELT" + number + " is in " +
                                      (unit.empty() ? "no unit" : "\"" + unit + "\"") +
                                      ", which is no length; the spacing is unknown");
            }
            return;
        }
        first = axis == 0 ? at : first;
        const double factor = kMetres[at] / kMetres[first];
        geometry.spacing[axis] = std::abs(*step) * (at == first ? 1 : factor);
        if (*step < 0) {
            found.notes.push_back("its CDELT" + number + " is negative; it was read as positive");
        }
    }
    found.geometry = geometry;
    found.unit = kNames[first];
}

/// Values that stand for none: NaN in floating-point images, as they are in those of integers.
void noteBlank(fitsfile* file, const FitsImage& image, FoundImage& found) {
    const bool whole = image.stored > 0;
    const std::optional<double> blank = whole ? numberOf(file, "BLANK") : std::nullopt;
    if (!blank) {
        return;
    }
    const std::string value =
        std::to_string(static_cast<std::int64_t>(std::clamp(*blank, -9e18, 9e18)));
    const bool real = !base::isInteger(found.pixel);
    found.notes.push_back("its header says that stored values of " + value +
                          " stand for no value (BLANK); " +
                          (real ? "they are NaN" : "they count as they are"));
}

template <class Value>
void sendValues(fitsfile* file, const FitsImage& image, LONGLONG first, std::int64_t count,
                ReaderAnswer& answer) {
    constexpr std::int64_t kBlock = 1 << 18;
    std::vector<Value> block(static_cast<std::size_t>(std::min(count, kBlock)));
    Value blank = std::numeric_limits<Value>::quiet_NaN(); // 0 of integers: none is replaced
    while (count > 0) {
        const std::int64_t part = std::min(count, kBlock);
        int status = 0;
        int any = 0; // CFITSIO writes here even where it may be null
        if (::fits_read_img(file, image.type.values, first, part, &blank, block.data(), &any,
                            &status) != 0) {
            refuse("the pixels of the FITS file are truncated or damaged");
        }
        answer.voxels(block.data(), part * static_cast<std::int64_t>(sizeof(Value)));
        first += part;
        count -= part;
    }
}

} // namespace

void answerFits(const Request& request, ReaderAnswer& answer) {
    answer.limitHeader(20, "the parts of the FITS file do not end; it is damaged");
    int status = 0;
    fitsfile* opened = nullptr;
    // The name is that of a file: CFITSIO would also open addresses, commands and parts.
    if (::fits_open_diskfile(&opened, request.path.c_str(), READONLY, &status) != 0) {
        refuse("the FITS file is truncated or damaged");
    }
    const FitsFile file(opened);
    const int images = goToImage(opened);
    const FitsImage image = imageOf(opened);
    FoundImage found;
    found.pixel = image.type.pixel;
    setLengths(image, found);
    requireFitsBytes(opened, request, image, found);
    setSpacing(opened, found);
    noteBlank(opened, image, found);
    if (images > 1) {
        found.notes.push_back("the first of its " + std::to_string(images) +
                              " images; the others are not read");
    }
    const bool sends = request.picks(found);
    answer.header(found, sends);
    if (!sends) {
        return;
    }
    const std::int64_t count = base::voxelCount(found.extents);
    const LONGLONG first = std::max(0, request.frame) * count + 1;
    switch (found.pixel) {
    case PixelType::UInt8:
        return sendValues<std::uint8_t>(opened, image, first, count, answer);
    case PixelType::Int8:
        return sendValues<std::int8_t>(opened, image, first, count, answer);
    case PixelType::Int16:
        return sendValues<std::int16_t>(opened, image, first, count, answer);
    case PixelType::UInt16:
        return sendValues<std::uint16_t>(opened, image, first, count, answer);
    case PixelType::Int32:
        return sendValues<std::int32_t>(opened, image, first, count, answer);
    case PixelType::UInt32:
        return sendValues<std::uint32_t>(opened, image, first, count, answer);
    case PixelType::Int64:
        return sendValues<std::int64_t>(opened, image, first, count, answer);
    case PixelType::UInt64:
        return sendValues<std::uint64_t>(opened, image, first, count, answer);
    case PixelType::Float32:
        return sendValues<float>(opened, image, first, count, answer);
    case PixelType::Float64:
        return sendValues<double>(opened, image, first, count, answer);
    }
}

} // namespace flcc::io::detail
