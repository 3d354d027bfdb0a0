#include "engine/io/raster/orientation.h"

#include <array>
#include <string>
#include <utility>

namespace flcc::io::detail {

Turn turnOf(int orientation, std::int64_t width, std::int64_t height) {
    const bool transposes = orientation >= 5;
    const std::int64_t row = transposes ? height : width; // of the shown picture
    // Along which axis of the shown picture the stored rows and columns run, and from which end.
    const bool rightToLeft = orientation == 2 || orientation == 3;
    const bool bottomUp = orientation == 3 || orientation == 4;
    const bool columnsUp = orientation == 7 || orientation == 8; // stored x
    const bool rowsLeft = orientation == 6 || orientation == 7;  // stored y
    Turn turn{.origin = 0, .stepX = 1, .stepY = row, .transposes = transposes};
    if (transposes) {
        turn.stepX = columnsUp ? -row : row;
        turn.stepY = rowsLeft ? -1 : 1;
        turn.origin = (columnsUp ? (width - 1) * row : 0) + (rowsLeft ? height - 1 : 0);
    } else {
        turn.stepX = rightToLeft ? -1 : 1;
        turn.stepY = bottomUp ? -row : row;
        turn.origin = (rightToLeft ? width - 1 : 0) + (bottomUp ? (height - 1) * row : 0);
    }
    return turn;
}

std::optional<Resolution> resolutionOf(double x, double y, double millimetres) {
    const Resolution size{millimetres / x, millimetres / y};
    const auto usable = [](double value) { return value > 1e-9 && value < 1e9; };
    return usable(size.x) && usable(size.y) ? std::optional(size) : std::nullopt;
}

namespace {

/// How the picture is turned to be shown.
std::string turnText(std::uint32_t orientation) {
    switch (orientation) {
    case 2:
        return "mirrored left to right";
    case 3:
        return "turned by 180 degrees";
    case 4:
        return "mirrored top to bottom";
    case 5:
        return "mirrored at its diagonal";
    case 6:
        return "turned by 90 degrees to the right";
    case 7:
        return "mirrored at its other diagonal";
    default:
        return "turned by 90 degrees to the left";
    }
}

} // namespace

Turn place(ImageInfo& info, const std::optional<std::uint32_t>& orientation, const char* word,
           const std::optional<Resolution>& resolution, const Reading& reading) {
    if (resolution) {
        info.resolution = std::array{resolution->x, resolution->y};
        if (reading.resolution && info.extents.z == 1) { // requireReading() refuses a volume
            info.geometry.spacing = {resolution->x, resolution->y, 1};
            info.geometry.unit = "mm";
            info.geometry.unitSource = base::UnitSource::Header;
            info.notes.emplace_back("the spacing is the resolution that the file states");
        }
    }
    const std::uint32_t number = orientation.value_or(1);
    const Turn plain = turnOf(1, info.extents.x, info.extents.y);
    if (number == 1) {
        return plain;
    }
    const std::string says = std::string("its ") + word + " orientation " + std::to_string(number);
    if (number < 1 || number > 8) {
        info.notes.push_back(says + " is not defined and was ignored");
        return plain;
    }
    if (reading.orientation == Orientation::Stored) {
        info.notes.push_back(says + " was not applied: rows are as they are stored");
        return plain;
    }
    info.notes.push_back("the picture was " + turnText(number) + ", as " + says +
                         " says (--orientation stored leaves it)");
    const Turn turn = turnOf(static_cast<int>(number), info.extents.x, info.extents.y);
    if (turn.transposes) {
        std::swap(info.extents.x, info.extents.y);
        std::swap(info.geometry.spacing[0], info.geometry.spacing[1]);
        if (info.resolution) {
            std::swap((*info.resolution)[0], (*info.resolution)[1]);
        }
    }
    return turn;
}

} // namespace flcc::io::detail
