#include "engine/io/lists/read_back.h"

#include <cmath>

#include "engine/io/format/raw_file.h"

namespace flcc::io::detail::lists {

std::string difference(const PositionList& written, const PositionList& read,
                       const Preset& preset) {
    if (written.positions.size() != read.positions.size()) {
        return std::to_string(read.positions.size()) + " positions instead of " +
               std::to_string(written.positions.size());
    }
    const auto same = [](double a, double b, double tolerance) {
        return a == b || std::abs(a - b) <= tolerance || (std::isnan(a) && std::isnan(b));
    };
    for (std::size_t i = 0; i < written.positions.size(); ++i) {
        const ListedPosition& a = written.positions[i];
        const ListedPosition& b = read.positions[i];
        const std::string number = "position " + std::to_string(i + 1);
        // The points of the file, as hand, scale or angles may be missing, which lead to the
        // centre.
        const base::Point from = statedPoint(preset, written, a);
        const base::Point to = statedPoint(preset, read, b);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const bool lost = axis == 2 && written.place.flat();
            const double tolerance = roundingOf(preset, written.place, from, axis);
            if (!lost && !same(from[axis], to[axis], tolerance)) {
                return number + " is " + numberText(to[axis]) + " on axis " + std::to_string(axis) +
                       " instead of " + numberText(from[axis]);
            }
        }
        if (a.score && b.score && !same(*a.score, *b.score, 0)) {
            return number + " has the score " + numberText(*b.score) + " instead of " +
                   numberText(*a.score);
        }
        if (holdsDecisions(preset) && isJudged(written) && decisionText(a) != decisionText(b)) {
            return number + " is decided as " + decisionText(b);
        }
        const bool own = preset.syntax == Syntax::Own || preset.syntax == Syntax::Json;
        if (own && a.cells != b.cells) {
            return number + " has other cells";
        }
    }
    return {};
}

} // namespace flcc::io::detail::lists
