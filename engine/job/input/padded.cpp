// The margin around a scene that a search over poses needs.

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "engine/base/error.h"
#include "engine/job/input/inputs.h"
#include "engine/job/input/poses.h"

namespace flcc::job::detail {

namespace {

constexpr std::array kAxes{&base::Index::x, &base::Index::y, &base::Index::z};
constexpr std::array kEdges{&base::Extents::x, &base::Extents::y, &base::Extents::z};

/// Voxels before and behind the scene on each axis.
struct Margins {
    base::Index before{0, 0, 0};
    base::Index behind{0, 0, 0};

    void cover(std::size_t axis, std::int64_t first, std::int64_t last) {
        before.*kAxes[axis] = std::max(before.*kAxes[axis], first);
        behind.*kAxes[axis] = std::max(behind.*kAxes[axis], last);
    }
    [[nodiscard]] bool any() const {
        return !(before == base::Index{}) || !(behind == base::Index{});
    }
};

bool fits(const base::Box& own, const base::Extents& room) {
    return own.extents.x <= room.x && own.extents.y <= room.y && own.extents.z <= room.z;
}

/// Of the extent `valid`: all placements of all members whose own box lies in the room. Notes how
/// many members have none.
Margins marginsOf(const rotation::PoseBank& bank, const base::Extents& room,
                  std::vector<std::string>& notes) {
    Margins margins;
    std::int64_t fitting = 0;
    for (std::int64_t i = 0; i < bank.count(); ++i) {
        const base::Box own = bank.ownBox(i);
        if (!fits(own, room)) {
            continue;
        }
        ++fitting;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::int64_t corner = own.corner.*kAxes[axis];
            margins.cover(axis, corner,
                          bank.box().*kEdges[axis] - corner - own.extents.*kEdges[axis]);
        }
    }
    const std::string templ = "the template of " + base::toString(bank.templExtents()) + " voxels";
    if (fitting == 0) {
        throw base::Error(base::ErrorCode::Problem,
                          templ + " fits into the scene " + base::toString(room) +
                              " in no pose; use other rotations, a smaller scale or "
                              "--extent same");
    }
    if (fitting < bank.count()) {
        notes.push_back(templ + " fits into the scene in " + std::to_string(fitting) + " of " +
                        std::to_string(bank.count()) +
                        " poses; placements that reach beyond the scene need --extent same and "
                        "--partial-peaks");
    }
    return margins;
}

/// Of the extents `same` and `full`: their placements of the members' box.
Margins marginsOf(const rotation::PoseBank& bank, method::Extent extent) {
    Margins margins;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t box = bank.box().*kEdges[axis];
        const std::int64_t before = extent == method::Extent::Same ? box / 2 : box - 1;
        margins.cover(axis, before, extent == method::Extent::Same ? box - 1 - before : box - 1);
    }
    return margins;
}

/// The voxel of a line of `length` voxels that mirrors a place outside of it.
std::int64_t mirrored(std::int64_t place, std::int64_t length) {
    const std::int64_t period = 2 * length;
    const std::int64_t at = ((place % period) + period) % period;
    return at < length ? at : period - 1 - at;
}

template <class T> base::Image<T> padded(const base::View<const T>& from, const Margins& margins) {
    const base::Extents& n = from.extents();
    const base::Index& a = margins.before;
    const base::Index& b = margins.behind;
    base::Image<T> made({a.x + n.x + b.x, a.y + n.y + b.y, a.z + n.z + b.z});
    for (std::int64_t z = 0; z < made.extents().z; ++z) {
        for (std::int64_t y = 0; y < made.extents().y; ++y) {
            const T* const row = from.row(mirrored(y - a.y, n.y), mirrored(z - a.z, n.z));
            T* const to = made.view().row(y, z);
            for (std::int64_t x = 0; x < a.x; ++x) {
                to[x] = row[mirrored(x - a.x, n.x)];
            }
            std::copy_n(row, n.x, to + a.x);
            for (std::int64_t x = 0; x < b.x; ++x) {
                to[a.x + n.x + x] = row[mirrored(n.x + x, n.x)];
            }
        }
    }
    return made;
}

/// 1 inside the scene and its mask.
base::Image<std::uint8_t> insideOf(const method::MaskedView& scene, const base::Box& room,
                                   const base::Extents& all) {
    base::Image<std::uint8_t> inside(all, 0);
    for (std::int64_t z = 0; z < room.extents.z; ++z) {
        for (std::int64_t y = 0; y < room.extents.y; ++y) {
            std::uint8_t* const to =
                inside.view().row(room.corner.y + y, room.corner.z + z) + room.corner.x;
            if (scene.mask.data() == nullptr) {
                std::fill_n(to, room.extents.x, 1);
            } else {
                std::copy_n(scene.mask.row(y, z), room.extents.x, to);
            }
        }
    }
    return inside;
}

} // namespace

void padScene(Inputs& inputs, const Job& job) {
    const method::MaskedView scene = inputs.plainView();
    const base::Extents n = scene.extents();
    const bool allFit = std::ranges::all_of(inputs.banks, [&](const auto& bank) {
        return fits({{}, bank->box()}, n);
    });
    if (job.extent != method::Extent::Valid && allFit) {
        return; // methods score placements beyond the scene faster than those under a mask
    }
    Margins margins;
    for (const auto& bank : inputs.banks) {
        const Margins own = job.extent == method::Extent::Valid ? marginsOf(*bank, n, inputs.notes)
                                                                : marginsOf(*bank, job.extent);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            margins.cover(axis, own.before.*kAxes[axis], own.behind.*kAxes[axis]);
        }
    }
    if (!margins.any()) {
        return;
    }
    auto made = std::make_shared<PaddedScene>();
    made->room = {margins.before, n};
    made->pixels = std::visit(
        [&](const auto& view) -> base::AnyImage { return padded(view, margins); }, scene.pixels);
    if (job.extent != method::Extent::Valid) {
        made->mask = insideOf(scene, made->room, base::extentsOf(made->pixels));
    } else if (scene.mask.data() != nullptr) {
        made->mask = padded(scene.mask, margins);
    }
    inputs.padded = std::move(made);
}

method::MaskedView Inputs::sceneView() const {
    if (!padded) {
        return plainView();
    }
    method::MaskedView view(base::viewOf(padded->pixels));
    if (!padded->mask.empty()) {
        view.mask = padded->mask.view();
    }
    return view;
}

base::Index Inputs::sceneCorner() const {
    const base::Index corner = region ? region->corner : base::Index{};
    const base::Index before = padded ? padded->room.corner : base::Index{};
    return {corner.x - before.x, corner.y - before.y, corner.z - before.z};
}

base::Box Inputs::room() const {
    return padded ? padded->room : base::Box{{0, 0, 0}, plainView().extents()};
}

std::vector<base::Box> Inputs::placementsOf(const std::vector<int>& group) const {
    std::vector<base::Box> boxes;
    const auto bank = bankOf(group);
    if (!bank || !padded) {
        return boxes;
    }
    const base::Box in = room();
    const base::Extents& box = bank->box();
    const base::Extents all = base::extentsOf(padded->pixels);
    for (std::int64_t i = 0; i < bank->count(); ++i) {
        base::Box& own = boxes.emplace_back();
        const base::Box support = bank->ownBox(i);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::int64_t map = all.*kEdges[axis] - box.*kEdges[axis] + 1;
            std::int64_t first = in.corner.*kAxes[axis] - support.corner.*kAxes[axis];
            std::int64_t count = in.extents.*kEdges[axis] - support.extents.*kEdges[axis] + 1;
            if (extent == method::Extent::Same) {
                first = in.corner.*kAxes[axis] - box.*kEdges[axis] / 2;
                count = in.extents.*kEdges[axis];
            } else if (extent == method::Extent::Full) {
                first = in.corner.*kAxes[axis] - box.*kEdges[axis] + 1;
                count = in.extents.*kEdges[axis] + box.*kEdges[axis] - 1;
            }
            own.corner.*kAxes[axis] = first;
            own.extents.*kEdges[axis] = std::clamp<std::int64_t>(count, 0, map - first);
        }
    }
    return boxes;
}

} // namespace flcc::job::detail
