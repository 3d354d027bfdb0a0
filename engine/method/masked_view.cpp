#include "engine/method/masked_view.h"

#include <algorithm>

#include "engine/base/error.h"

namespace flcc::method {

namespace {

std::int64_t zerosOf(const base::View<const std::uint8_t>& mask) {
    const base::Extents& extents = mask.extents();
    std::int64_t zeros = 0;
    for (std::int64_t line = 0; line < extents.y * extents.z; ++line) {
        const std::uint8_t* const row = mask.row(line % extents.y, line / extents.y);
        zeros += std::count(row, row + extents.x, std::uint8_t{0});
    }
    return zeros;
}

} // namespace

bool isMasked(const MaskedView& view) {
    if (view.mask.data() == nullptr) {
        return false;
    }
    if (!(view.mask.extents() == view.extents())) {
        throw base::Error(base::ErrorCode::Problem, "mask " + base::toString(view.mask.extents()) +
                                                        " must have the extents of its image, " +
                                                        base::toString(view.extents()));
    }
    return zerosOf(view.mask) > 0 || hasWeights(view);
}

bool hasWeights(const MaskedView& view) {
    const base::View<const double>& weights = view.weights;
    const base::Extents& extents = weights.extents();
    bool any = false;
    for (std::int64_t line = 0; weights.data() != nullptr && !any && line < extents.y * extents.z;
         ++line) {
        const double* const row = weights.row(line % extents.y, line / extents.y);
        any = std::any_of(row, row + extents.x, [](double w) { return w != 0 && w != 1; });
    }
    return any;
}

bool sameSupport(const MaskedView& a, const MaskedView& b) {
    const base::Extents extents = a.extents();
    const bool any = a.mask.data() != nullptr || b.mask.data() != nullptr ||
                     a.weights.data() != nullptr || b.weights.data() != nullptr;
    for (std::int64_t line = 0; any && line < extents.y * extents.z; ++line) {
        const auto weightOf = [&](const MaskedView& view, std::int64_t x) {
            const bool isIn = view.mask.data() == nullptr ||
                              view.mask.row(line % extents.y, line / extents.y)[x] != 0;
            return !isIn ? 0.0
                   : view.weights.data() == nullptr
                       ? 1.0
                       : view.weights.row(line % extents.y, line / extents.y)[x];
        };
        for (std::int64_t x = 0; x < extents.x; ++x) {
            if (weightOf(a, x) != weightOf(b, x)) {
                return false;
            }
        }
    }
    return true;
}

MaskedView partOf(const MaskedView& view, const base::Box& box) {
    MaskedView part(base::partOf(view.pixels, box));
    if (view.mask.data() != nullptr) {
        part.mask = view.mask.part(box);
    }
    if (view.weights.data() != nullptr) {
        part.weights = view.weights.part(box);
    }
    return part;
}

std::int64_t supportCount(const MaskedView& view) {
    const std::int64_t count = base::voxelCount(view.extents());
    return view.mask.data() == nullptr ? count : count - zerosOf(view.mask);
}

} // namespace flcc::method
