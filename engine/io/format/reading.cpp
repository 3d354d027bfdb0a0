#include "engine/io/format/reading.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "engine/base/error.h"

namespace flcc::io::detail {

namespace {

/// Throws Memory when `bytes` of pixels and `buffers` need more than the options allow.
void requireMemory(const std::filesystem::path& path, std::int64_t bytes, std::int64_t buffers,
                   const ReadOptions& options, const std::string& wayOut) {
    constexpr std::int64_t kSmall = std::int64_t{4} << 20;
    const std::int64_t counted = buffers < kSmall ? 0 : buffers;
    const auto refuse = [&](const std::string& needs, std::int64_t limit,
                            const std::string& try_ = std::string()) {
        throw base::Error(base::ErrorCode::Memory, shown(path) + " needs " + needs +
                                                       ", the limit is " + std::to_string(limit) +
                                                       try_);
    };
    const std::string toDecode = std::to_string(buffers) + " bytes in memory to decode it";
    if (counted > options.maxBufferBytes) {
        refuse(toDecode + " beside its pixels", options.maxBufferBytes, "; give a larger --memory");
    }
    if (cappedSum(bytes, counted) > options.maxBytes) {
        refuse(std::to_string(bytes) + " bytes in memory" +
                   (counted > 0 ? " and " + toDecode : std::string()),
               options.maxBytes, wayOut);
    }
}

std::string rangeText(int count) { return "0 to " + std::to_string(count - 1); }

} // namespace

void requireBytes(const std::filesystem::path& path, std::int64_t promised, std::int64_t present) {
    if (promised > present) {
        failInput(path, "the file is truncated; its header promises " + std::to_string(promised) +
                            " bytes of pixels and " +
                            std::to_string(std::max<std::int64_t>(0, present)) + " are there");
    }
}

bool isGzip(const std::filesystem::path& path) {
    const std::vector<unsigned char> start = readBytes(path, 0, 2);
    return start.size() == 2 && start[0] == 0x1f && start[1] == 0x8b;
}

std::string extensionOf(const std::filesystem::path& path) {
    const auto lower = [](std::string text) {
        std::transform(text.begin(), text.end(), text.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return text;
    };
    const std::string last = lower(path.extension().string());
    return last == ".gz" ? lower(path.stem().extension().string()) + last : last;
}

DatasetPath splitDataset(const std::filesystem::path& path) {
    std::error_code ignored;
    const std::string& text = path.native();
    for (std::size_t colon = text.find(":/"); colon != std::string::npos;
         colon = text.find(":/", colon + 1)) {
        const std::filesystem::path file = text.substr(0, colon);
        if (std::filesystem::is_regular_file(file, ignored)) {
            return {file, text.substr(colon + 1)};
        }
    }
    return {path, {}};
}

std::int64_t cappedProduct(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

std::int64_t cappedSum(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

void requireReading(const std::filesystem::path& path, const ImageInfo& info,
                    const Reading& reading) {
    if (reading.image && (*reading.image < 0 || *reading.image >= info.images)) {
        throw base::Error(base::ErrorCode::Problem,
                          shown(path) + " holds " + std::to_string(info.images) +
                              (info.images == 1 ? " image" : " images") + "; there is no image " +
                              std::to_string(*reading.image));
    }
    if (reading.resolution && !info.resolution) {
        failInput(path, "it states no pixels per inch or centimetre; leave out --spacing "
                        "resolution, or give the spacing as numbers");
    }
    if (reading.resolution && info.extents.z > 1) {
        throw base::Error(base::ErrorCode::Problem,
                          shown(path) + " is a volume, and its pixels per inch or centimetre do "
                                        "not say how far apart slices are; give --spacing X,Y,Z");
    }
}

void requireInside(const std::filesystem::path& path, const base::Extents& extents,
                   const base::Box& box) {
    if (!base::contains(extents, box)) {
        throw base::Error(base::ErrorCode::Problem,
                          "the region " + base::toString(box) + " leaves " + shown(path) +
                              ", which has the extents " + base::toString(extents));
    }
}

void moveTo(ImageInfo& info, const base::Box& box) {
    info.extents = box.extents;
    info.geometry = base::movedTo(info.geometry, {static_cast<double>(box.corner.x),
                                                  static_cast<double>(box.corner.y),
                                                  static_cast<double>(box.corner.z)});
}

Choice choose(const std::filesystem::path& path, const ImageInfo& info, const ReadOptions& options,
              std::int64_t buffers) {
    requireReading(path, info, options.reading);
    const auto pick = [&](const std::optional<int>& chosen, int count, const std::string& word) {
        const std::string holds =
            shown(path) + " holds " + std::to_string(count) + " " + word + (count == 1 ? "" : "s");
        if (!chosen && count > 1) {
            throw base::Error(base::ErrorCode::Problem,
                              holds + "; choose one, " + rangeText(count) + " (--" + word + ")");
        }
        if (chosen && (*chosen < 0 || *chosen >= count)) {
            throw base::Error(base::ErrorCode::Problem,
                              holds + "; there is no " + word + " " + std::to_string(*chosen));
        }
        return chosen.value_or(0);
    };
    Choice choice;
    choice.channel = pick(options.channel, info.channels, "channel");
    choice.frame = pick(options.frame, info.frames, "frame");
    const std::int64_t bytes =
        base::byteCount(info.extents, info.components * base::bytesPerVoxel(info.pixel));
    requireMemory(path, bytes, buffers, options,
                  info.regions != RegionAccess::Box || options.reading.part ? ""
                  : info.images > 1 ? "; choose a smaller level (--image) or a part of it (--part)"
                                    : "; choose a part of it (--part)");
    return choice;
}

void requireSaneHeader(const std::filesystem::path& path, const ImageInfo& info) {
    constexpr std::int64_t kLongest = std::int64_t{1} << 40;
    const base::Extents& n = info.extents;
    const bool sane = n.x > 0 && n.y > 0 && n.z > 0 && n.x < kLongest && n.y < kLongest &&
                      n.z < kLongest && info.components > 0 && info.channels > 0 && info.frames > 0;
    if (!sane) {
        failInput(path, "its header gives the extents " + base::toString(n));
    }
    try {
        (void)base::byteCount(n, std::int64_t{8} * info.components);
    } catch (const base::Error&) {
        failInput(path, "its header gives the extents " + base::toString(n));
    }
    for (const double spacing : info.geometry.spacing) {
        if (!(std::isfinite(spacing) && spacing > 0)) {
            failInput(path, "its header gives a voxel spacing of " + std::to_string(spacing));
        }
    }
    const auto finite = [](double value) { return std::isfinite(value); };
    if (!std::all_of(info.geometry.origin.begin(), info.geometry.origin.end(), finite) ||
        !std::all_of(info.geometry.direction.begin(), info.geometry.direction.end(), finite)) {
        failInput(path, "its header gives an origin or a direction that is not a number");
    }
}

void swapBytes(void* data, std::int64_t count, std::int64_t bytesPerVoxel) {
    auto* bytes = static_cast<unsigned char*>(data);
    for (std::int64_t i = 0; bytesPerVoxel > 1 && i < count; ++i) {
        std::reverse(bytes + i * bytesPerVoxel, bytes + (i + 1) * bytesPerVoxel);
    }
}

void* bytesOf(base::AnyImage& image) {
    return std::visit([](auto& typed) { return static_cast<void*>(typed.data()); }, image);
}

Unit parseUnit(std::string_view text) {
    struct Entry {
        std::string_view word;
        std::string_view unit;
        double factor;
    };
    constexpr std::array<Entry, 30> kUnits{
        {{"mm", "mm", 1},          {"millimeter", "mm", 1},  {"millimetre", "mm", 1},
         {"millimeters", "mm", 1}, {"cm", "mm", 10},         {"centimeter", "mm", 10},
         {"centimetre", "mm", 10}, {"m", "mm", 1000},        {"meter", "mm", 1000},
         {"metre", "mm", 1000},    {"um", "um", 1},          {"\xc2\xb5m", "um", 1},
         {"\xce\xbcm", "um", 1},   {"\xb5m", "um", 1},       {"\\u00B5m", "um", 1},
         {"micron", "um", 1},      {"microns", "um", 1},     {"micrometer", "um", 1},
         {"micrometre", "um", 1},  {"nm", "nm", 1},          {"nanometer", "nm", 1},
         {"nanometre", "nm", 1},   {"pm", "A", 0.01},        {"A", "A", 1},
         {"\xc3\x85", "A", 1},     {"\xe2\x84\xab", "A", 1}, {"\xc5", "A", 1},
         {"\\u00C5", "A", 1},      {"angstrom", "A", 1},     {"Angstrom", "A", 1}}};
    const auto* found = std::find_if(kUnits.begin(), kUnits.end(),
                                     [&](const Entry& entry) { return entry.word == text; });
    return found == kUnits.end() ? Unit{} : Unit{std::string(found->unit), found->factor};
}

double unitLength(std::string_view unit) {
    return unit == "mm" ? 1e-3 : unit == "um" ? 1e-6 : unit == "nm" ? 1e-9 : 1e-10;
}

} // namespace flcc::io::detail
