#include "engine/features/detail/self_match.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "engine/method/canonical.h"

namespace flcc::features::detail {

SelfMatch matchSelf(const Surroundings& around) {
    const base::Extents& side = around.box;
    const base::View<const float> whole = around.image.view();
    SelfMatch result;
    result.middle = {side.x, side.y, side.z > 1 ? side.z : 0};
    const method::CanonicalTemplate templ{
        around.support.empty()
            ? method::MaskedView{whole.part({result.middle, side})}
            : method::MaskedView{whole.part({result.middle, side}), around.support.view()}};
    const method::MaskedView scene{whole};
    const base::Extents places = base::validExtents(whole.extents(), side);
    result.scores = base::Image<float>(places, std::numeric_limits<float>::quiet_NaN());
    const base::Box& valid = around.valid;
    const base::Index first = valid.corner;
    const base::Index end{valid.corner.x + valid.extents.x - side.x + 1,
                          valid.corner.y + valid.extents.y - side.y + 1,
                          valid.corner.z + valid.extents.z - side.z + 1};
    for (std::int64_t z = first.z; z < end.z; ++z) {
        for (std::int64_t y = first.y; y < end.y; ++y) {
            for (std::int64_t x = first.x; x < end.x; ++x) {
                const double score = method::canonicalScore(scene, templ, {x, y, z});
                result.scores.view().at(x, y, z) = static_cast<float>(score);
                const std::int64_t dx = std::abs(x - result.middle.x);
                const std::int64_t dy = std::abs(y - result.middle.y);
                const std::int64_t dz = std::abs(z - result.middle.z);
                if (2 * dx > side.x || 2 * dy > side.y || 2 * dz > side.z) {
                    if (score > result.second) {
                        result.second = score;
                        result.secondAt = {x, y, z};
                    }
                } else if (score >= kNearScore) {
                    result.near = std::max({result.near, dx, dy, dz});
                }
            }
        }
    }
    return result;
}

} // namespace flcc::features::detail
