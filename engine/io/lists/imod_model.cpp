#include "engine/io/lists/imod_model.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/base/error.h"
#include "engine/io/files/paths.h"
#include "engine/io/format/raw_file.h"

namespace flcc::io::detail::lists {

namespace {

constexpr std::uint32_t kOpen = 1U << 3U;
constexpr std::uint32_t kScattered = 1U << 9U;
constexpr double kMostPixel = 1e9;

/// Big-endian numbers one after the other.
class ModelReader {
  public:
    ModelReader(std::string_view bytes, const std::filesystem::path& name)
        : m_bytes(bytes), m_name(name) {}

    std::string_view take(std::size_t count) {
        if (m_bytes.size() < count) {
            failInput(m_name, "the model is cut");
        }
        const std::string_view taken = m_bytes.substr(0, count);
        m_bytes.remove_prefix(count);
        return taken;
    }
    std::uint32_t number() {
        std::uint32_t value = 0;
        for (const char each : take(4)) {
            value = (value << 8U) | static_cast<unsigned char>(each);
        }
        return value;
    }
    /// A count of things of `size` bytes, which must still be there.
    std::size_t count(std::size_t size) {
        const std::size_t value = number();
        if (value > m_bytes.size() / size) {
            failInput(m_name, "the model states " + std::to_string(value) +
                                  " values, more than its bytes hold");
        }
        return value;
    }
    double real() { return static_cast<double>(std::bit_cast<float>(number())); }
    [[nodiscard]] bool empty() const { return m_bytes.empty(); }

  private:
    std::string_view m_bytes;
    const std::filesystem::path& m_name;
};

class ModelWriter {
  public:
    std::string bytes;

    void number(std::int64_t value) {
        const auto bits = static_cast<std::uint32_t>(value);
        for (int shift = 24; shift >= 0; shift -= 8) {
            bytes += static_cast<char>((bits >> static_cast<unsigned>(shift)) & 0xffU);
        }
    }
    void real(double value) { number(std::bit_cast<std::uint32_t>(static_cast<float>(value))); }
    void text(std::string_view value, std::size_t length) {
        bytes += value.substr(0, length);
        bytes.append(length - std::min(length, value.size()), '\0');
    }
};

/// Angstrom of the unit of a model's pixel; 0 for pixels and others.
double angstromOf(std::int32_t unit) {
    constexpr std::array<std::pair<std::int32_t, double>, 4> kUnits{
        {{-3, 1e7}, {-6, 1e4}, {-9, 10}, {-10, 1}}};
    for (const auto& [known, length] : kUnits) {
        if (known == unit) {
            return length;
        }
    }
    return 0;
}

/// Reads what follows the mark of the file, up to the objects.
void takeHeader(ModelReader& from, PositionList& list, const std::filesystem::path& name) {
    (void)from.take(128); // its name
    const std::array<std::uint32_t, 3> made{from.number(), from.number(), from.number()};
    (void)from.take(4 * (1 + 1 + 4 + 3 + 3 + 5));
    const double pixel = from.real();
    const double unit = angstromOf(static_cast<std::int32_t>(from.number()));
    (void)from.take(4 + 3 * 4);
    const base::Extents& n = list.place.extents;
    const double voxel = voxelAngstrom(list.place)[0];
    constexpr double kShare = 0.01;
    if (unit > 0 && pixel > 0 && pixel < kMostPixel && voxel > 0 &&
        std::abs(pixel * unit - voxel) > kShare * voxel) {
        failInput(name, "the model was made on pixels of " + numberText(pixel * unit) +
                            " angstrom, but the scene has voxels of " + numberText(voxel) +
                            " angstrom");
    }
    const base::Extents of{made[0], made[1], made[2]};
    if (n.x > 0 && of != n && of.x > 0 && of.y > 0 && of.z > 0) {
        list.notes.push_back("the model states an image of " + base::toString(of) +
                             " voxels, the scene has " + base::toString(n));
    }
}

void takePoint(ModelReader& from, const Preset& preset, PositionList& list,
               const std::filesystem::path& name) {
    const base::Point stated{from.real(), from.real(), from.real()};
    if (!std::ranges::all_of(stated, [](double each) { return std::isfinite(each); })) {
        failInput(name, "a point of the model is not finite");
    }
    ListedPosition position;
    position.box = list.place.unknowns.box.value_or(base::Extents{0, 0, 0});
    position.centre = fromFormat(preset, list.place, stated, position.box);
    list.positions.push_back(std::move(position));
}

} // namespace

std::string modelText(const PositionList& list, const Preset& preset) {
    ModelWriter to;
    const double voxel = voxelAngstrom(list.place)[0];
    const base::Extents& n = list.place.extents;
    std::int64_t edge = 10;
    for (const ListedPosition& each : list.positions) {
        edge = each.box.x > 0 ? each.box.x : edge;
    }
    to.text("IMODV1.2", 8);
    to.text("FLCC " + list.noun + "s", 128);
    for (const std::int64_t length : {n.x, n.y, n.z}) {
        to.number(length);
    }
    for (const std::int64_t value : {1, 0, 1, 0, 0, 255}) { // objects, flags, modes, grey levels
        to.number(value);
    }
    for (const double value : {0, 0, 0, 1, 1, 1}) { // offset and scale
        to.real(value);
    }
    for (const std::int64_t value : {0, 0, 0, 3, 128}) { // current object, contour, point; drawing
        to.number(value);
    }
    to.real(voxel > 0 ? voxel / 10 : 1);
    to.number(voxel > 0 ? -9 : 0); // nanometres
    for (const std::int64_t value : {0, 0, 0, 0}) {
        to.number(value);
    }
    to.text("OBJT", 4);
    to.text(list.noun + "s", 64 + 16 * 4);
    for (const std::int64_t value :
         {std::int64_t{1}, std::int64_t{kOpen | kScattered}, std::int64_t{0}, std::int64_t{1}}) {
        to.number(value);
    }
    for (const double value : {0, 1, 0}) { // green
        to.real(value);
    }
    to.number((edge + 1) / 2); // radius of the drawn spheres
    to.text(std::string("\x01\x03\x01\x01", 4), 8);
    to.number(0);
    to.number(0);
    to.text("CONT", 4);
    to.number(std::ssize(list.positions));
    for (int i = 0; i < 3; ++i) {
        to.number(0);
    }
    for (const ListedPosition& each : list.positions) {
        for (const double value :
             toFormat(preset, list.place, statedPoint(preset, list, each), each.box)) {
            if (!(std::abs(value) <= std::numeric_limits<float>::max())) {
                throw base::Error(base::ErrorCode::Problem,
                                  "a model of IMOD cannot hold the coordinate " +
                                      numberText(value) + " of a " + list.noun);
            }
            to.real(value);
        }
    }
    to.text("IEOF", 4);
    return to.bytes;
}

void takeModel(std::string_view bytes, const Preset& preset, PositionList& list,
               const std::filesystem::path& name) {
    ModelReader from(bytes, name);
    if (from.take(8) != "IMODV1.2") {
        failInput(name, "it is no binary model of IMOD of version 1.2; convert it by imodtrans or "
                        "model2point of IMOD");
    }
    takeHeader(from, list, name);
    std::size_t objects = 0;
    std::size_t outlines = 0; // closed contours of several points
    bool closed = false;
    for (std::string_view chunk = from.take(4); chunk != "IEOF"; chunk = from.take(4)) {
        if (chunk == "OBJT") {
            ++objects;
            (void)from.take(64 + 16 * 4 + 4);
            closed = (from.number() & (kOpen | kScattered)) == 0;
            (void)from.take(2 * 4 + 3 * 4 + 4 + 8 + 2 * 4);
        } else if (chunk == "CONT") {
            const std::size_t points = from.count(12);
            (void)from.take(3 * 4);
            outlines += closed && points > 2 ? 1 : 0;
            for (std::size_t i = 0; i < points; ++i) {
                takePoint(from, preset, list, name);
            }
        } else if (chunk == "MESH") {
            const std::size_t vertices = from.count(12);
            const std::size_t indices = from.count(4);
            (void)from.take(2 * 4);
            (void)from.take(12 * vertices);
            (void)from.take(4 * indices);
        } else {
            (void)from.take(from.count(1));
        }
    }
    if (objects > 1) {
        list.notes.push_back("the points of the model's " + std::to_string(objects) +
                             " objects were joined");
    }
    if (outlines > 0) {
        list.notes.push_back(std::to_string(outlines) +
                             (outlines == 1 ? " contour of the model is closed"
                                            : " contours of the model are closed") +
                             ": their corners were taken as positions");
    }
}

} // namespace flcc::io::detail::lists
