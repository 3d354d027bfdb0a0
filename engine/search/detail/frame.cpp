#include "engine/search/detail/frame.h"

#include <algorithm>
#include <type_traits>

namespace flcc::search::detail {

Corners Corners::with(const Corners& other) const {
    if (isEmpty() || other.isEmpty()) {
        return isEmpty() ? other : *this;
    }
    return {std::min(left, other.left), std::min(top, other.top), std::max(right, other.right),
            std::max(bottom, other.bottom)};
}

Corners Frame::cornersOf(const base::Box& reach) const {
    if (reach.extents.x == 0) {
        return {};
    }
    const std::int64_t left = before.x - reach.corner.x;
    const std::int64_t top = before.y - reach.corner.y;
    return {left, top, left + inner.x - reach.extents.x, top + inner.y - reach.extents.y};
}

Frame frameOf(const std::vector<const Prepared*>& parts, const base::Extents& scene) {
    Frame frame{scene, scene, {0, 0, 0}};
    base::Index behind{0, 0, 0};
    for (const Prepared* part : parts) {
        const base::Extents& box = part->bank->box();
        for (const MemberCells& member : part->members) {
            const base::Index& from = member.reach.corner;
            const base::Extents& n = member.reach.extents;
            if (n.x == 0) {
                continue;
            }
            frame.before = {std::max(frame.before.x, from.x), std::max(frame.before.y, from.y), 0};
            behind = {std::max(behind.x, box.x - from.x - n.x),
                      std::max(behind.y, box.y - from.y - n.y), 0};
        }
    }
    frame.extents.x += frame.before.x + behind.x;
    frame.extents.y += frame.before.y + behind.y;
    return frame;
}

base::AnyImage framed(const base::AnyView& scene, const Frame& frame) {
    return std::visit(
        [&](const auto& view) -> base::AnyImage {
            using T = std::remove_cvref_t<decltype(view.at(0, 0, 0))>;
            base::Image<T> made(frame.extents);
            const base::Extents& n = view.extents();
            for (std::int64_t y = 0; y < frame.extents.y; ++y) {
                const auto* const from =
                    view.row(std::clamp<std::int64_t>(y - frame.before.y, 0, n.y - 1), 0);
                T* const to = made.view().row(y, 0);
                std::fill_n(to, frame.before.x, from[0]);
                std::copy_n(from, n.x, to + frame.before.x);
                std::fill(to + frame.before.x + n.x, to + frame.extents.x, from[n.x - 1]);
            }
            return made;
        },
        scene);
}

} // namespace flcc::search::detail
