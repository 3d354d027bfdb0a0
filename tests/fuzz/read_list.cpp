// Reads the bytes as a list of positions: the first byte chooses the format (Auto among them), the
// second the extension and the scene. Positions that were read and can be written must be the same
// after they are written and read again.

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "engine/base/error.h"
#include "engine/io/list_file.h"
#include "tests/fuzz/input_file.h"

namespace base = flcc::base;
namespace io = flcc::io;

namespace {

io::ListPlace placeOf(std::uint8_t choice) {
    io::ListPlace place;
    place.scene = "scene.mrc";
    place.extents = {100, 90, (choice & 1) == 0 ? 80 : 1};
    if ((choice & 2) != 0) {
        place.unknowns = {.binning = 4.0,
                          .unbinnedPixel = 1.35,
                          .unbinnedSize = base::Extents{400, 360, 320},
                          .box = base::Extents{9, 8, (choice & 1) == 0 ? 7 : 1}};
    }
    return place;
}

std::string_view nameOf(std::uint8_t choice) {
    constexpr std::array<std::string_view, 8> kNames{"a.csv", "a.star", "a.json", "a.box",
                                                     "a.txt", "a.zip",  "a.tbl",  "a"};
    return kNames[choice / 4 % kNames.size()];
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) {
        return 0;
    }
    const std::size_t formats = io::listFormats().size() + 1;
    const std::size_t choice = data[0] % formats;
    const io::ListFormat format =
        choice == 0 ? io::ListFormat::Auto : io::listFormats()[choice - 1].format;
    const io::ListPlace given = placeOf(data[1]);
    const std::string_view bytes(reinterpret_cast<const char*>(data + 2), size - 2);
    io::PositionList list;
    try {
        list = io::parseList(bytes, format, given, nameOf(data[1]));
    } catch (const base::Error&) { // a sentence for the user: what should happen
        return 0;
    }
    if (list.columns.empty()) {
        io::fillPeakCells(list);
    }
    // A list that states its boxes contradicts others.
    io::ListPlace place = list.place;
    if (!list.positions.empty() && list.positions.front().box.x > 0) {
        place.unknowns.box = list.positions.front().box;
    }
    const bool alike = std::ranges::all_of(list.positions, [&](const io::ListedPosition& position) {
        return position.box == list.positions.front().box;
    });
    if (!alike) {
        place.unknowns.box.reset();
    }
    for (const io::ListFormatInfo& info : io::listFormats()) {
        std::string text;
        try {
            text = io::listText(list, info.format);
        } catch (const base::Error&) { // states what is not known here
            continue;
        }
        const io::PositionList again =
            io::parseList(text, info.format, place, "a" + std::string(info.extension));
        if (again.positions.size() != list.positions.size()) {
            std::fprintf(stderr, "%zu positions, as %s %zu\n", list.positions.size(),
                         std::string(info.name).c_str(), again.positions.size());
        }
        flcc::fuzz::require(again.positions.size() == list.positions.size());
    }
    return 0;
}
