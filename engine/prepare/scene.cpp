#include "engine/prepare/scene.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "engine/base/finite.h"
#include "engine/cpu/common/for_items.h"
#include "engine/method/shared/smooth_length.h"
#include "engine/prepare/detail/spectrum.h"

namespace flcc::prepare {

namespace {

constexpr std::int64_t kMargin = 16; // at each end

std::int64_t paddedLength(std::int64_t extent) {
    return extent > 1 ? 2 * method::shared::nextSmooth((extent + 2 * kMargin + 1) / 2) : 1;
}

base::Extents pointsOf(const base::Extents& scene) {
    return {paddedLength(scene.x), paddedLength(scene.y), paddedLength(scene.z)};
}

/// A place beyond the ends of a line, mirrored into it.
std::int64_t mirrored(std::int64_t i, std::int64_t length) {
    const std::int64_t place = ((i % (2 * length)) + 2 * length) % (2 * length);
    return place < length ? place : 2 * length - 1 - place;
}

/// Fills the part of a line beyond its `length`; value(i) refers to value i.
template <class Value>
void continueLine(std::int64_t length, std::int64_t points, const Value& value) {
    const auto gap = static_cast<double>(points - length);
    for (std::int64_t i = length; i < points; ++i) {
        const double share = (static_cast<double>(i - length) + 0.5) / gap;
        value(i) =
            (1 - share) * value(mirrored(i, length)) + share * value(mirrored(i - points, length));
    }
}

} // namespace

struct SceneTransform::State {
    base::AnyView scene;
    base::View<const std::uint8_t> mask;
    base::Extents extents;
    detail::Box box;
    detail::Frequencies frequencies;
    cpu::ForItems each;
    detail::OwnPlans plans{};
    bool stopped = false;

    void load();
    void extend();
    void forPlanes(std::int64_t count, const std::function<void(std::int64_t)>& work) {
        stopped = stopped || !each(count, [&](std::int64_t z, int) { work(z); });
    }
    [[nodiscard]] bool counts(std::int64_t x, std::int64_t y, std::int64_t z) const {
        return mask.data() == nullptr || mask.at(x, y, z) != 0;
    }
};

void SceneTransform::State::load() {
    const base::Extents n = extents;
    std::visit(
        [&](const auto& view) {
            struct Plane {
                double sum = 0;
                std::int64_t count = 0;
                double low = std::numeric_limits<double>::infinity();
                double high = -std::numeric_limits<double>::infinity();
            };
            std::vector<Plane> planes(static_cast<std::size_t>(n.z));
            const auto forCounted = [&](std::int64_t z, const auto& take) {
                for (std::int64_t y = 0; y < n.y; ++y) {
                    for (std::int64_t x = 0; x < n.x; ++x) {
                        if (counts(x, y, z) && base::finite(view.at(x, y, z))) {
                            take(x, y, static_cast<double>(view.at(x, y, z)));
                        }
                    }
                }
            };
            forPlanes(n.z, [&](std::int64_t z) {
                Plane& plane = planes[static_cast<std::size_t>(z)];
                forCounted(z, [&](std::int64_t, std::int64_t, double value) {
                    plane.sum += value;
                    ++plane.count;
                    plane.low = std::min(plane.low, value);
                    plane.high = std::max(plane.high, value);
                });
            });
            Plane all;
            for (const Plane& plane : planes) { // in their order, whatever the threads did
                all.sum += plane.sum;
                all.count += plane.count;
                all.low = std::min(all.low, plane.low);
                all.high = std::max(all.high, plane.high);
            }
            const double mean = all.count > 0 ? all.sum / static_cast<double>(all.count) : 0;
            const double largest = std::max(all.high - mean, mean - all.low);
            const int exponent =
                largest > 0 && std::isfinite(largest) ? -std::ilogb(largest) - 1 : 0;
            forPlanes(n.z, [&](std::int64_t z) {
                for (std::int64_t y = 0; y < n.y; ++y) {
                    std::fill_n(box.row(y, z), n.x, 0.0);
                }
                forCounted(z, [&](std::int64_t x, std::int64_t y, double value) {
                    box.row(y, z)[x] = std::ldexp(value - mean, exponent);
                });
            });
        },
        scene);
}

void SceneTransform::State::extend() {
    const base::Extents n = extents;
    const base::Extents& p = box.points;
    forPlanes(n.z, [&](std::int64_t z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            continueLine(n.x, p.x, [&](std::int64_t x) -> double& { return box.row(y, z)[x]; });
        }
        for (std::int64_t x = 0; x < p.x; ++x) {
            continueLine(n.y, p.y, [&](std::int64_t y) -> double& { return box.row(y, z)[x]; });
        }
    });
    forPlanes(p.y, [&](std::int64_t y) {
        for (std::int64_t x = 0; x < p.x; ++x) {
            continueLine(n.z, p.z, [&](std::int64_t z) -> double& { return box.row(y, z)[x]; });
        }
    });
}

SceneTransform::SceneTransform(const base::AnyView& scene,
                               const base::View<const std::uint8_t>& mask,
                               const base::Point& spacing, base::TilePool& pool,
                               std::stop_token stop)
    : m_state(new State{
          .scene = scene,
          .mask = mask,
          .extents = base::extentsOf(scene),
          .box = detail::Box(pointsOf(base::extentsOf(scene))),
          .frequencies = {pointsOf(base::extentsOf(scene)), spacing},
          .each = [&pool, stop = std::move(stop)](
                      std::int64_t count, const std::function<void(std::int64_t, int)>& work) {
              return pool.run(count, work, stop);
          }}) {
    State& state = *m_state;
    state.load();
    if (!state.stopped) {
        state.extend();
    }
    if (!state.stopped) {
        state.plans = detail::plansOf(state.box.points);
        const cpu::FftJobs jobs(state.each);
        state.plans->forward(state.box.values.data());
        state.stopped = jobs.stopped();
    }
}

SceneTransform::~SceneTransform() = default;

bool SceneTransform::stopped() const { return m_state->stopped; }

std::shared_ptr<const Spectrum> SceneTransform::spectrum() {
    State& state = *m_state;
    const base::Extents& p = state.box.points;
    auto made = std::make_shared<Spectrum>();
    made->step = state.frequencies.step();
    const auto shells =
        static_cast<std::size_t>(std::lround(state.frequencies.highest() / made->step)) + 1;
    struct Shell {
        double power = 0;
        double count = 0;
    };
    std::vector<std::vector<Shell>> planes(static_cast<std::size_t>(p.z));
    state.forPlanes(p.z, [&](std::int64_t z) {
        std::vector<Shell>& own = planes[static_cast<std::size_t>(z)];
        own.resize(shells);
        for (std::int64_t y = 0; y < p.y; ++y) {
            const double* const row = state.box.row(y, z);
            for (std::int64_t x = 0; x < state.box.pairs(); ++x) {
                const base::Point g = state.frequencies.at(x, y, z);
                const double place = std::hypot(g[0], g[1], g[2]) / made->step;
                Shell& shell =
                    own[std::min(static_cast<std::size_t>(std::lround(place)), shells - 1)];
                // Pairs beside the first and the last stand for two frequencies.
                const double twice = x == 0 || 2 * x == p.x ? 1 : 2;
                shell.power += twice * (row[2 * x] * row[2 * x] + row[2 * x + 1] * row[2 * x + 1]);
                shell.count += twice;
            }
        }
    });
    for (std::size_t i = 0; i < shells; ++i) {
        Shell all;
        for (const std::vector<Shell>& plane : planes) {
            all.power += plane.empty() ? 0 : plane[i].power;
            all.count += plane.empty() ? 0 : plane[i].count;
        }
        const double before = made->amplitudes.empty() ? 0 : made->amplitudes.back();
        made->amplitudes.push_back(all.count > 0 ? std::sqrt(all.power / all.count) : before);
    }
    if (shells > 1) {
        made->amplitudes[0] = made->amplitudes[1];
    }
    made->largest = *std::ranges::max_element(made->amplitudes);
    return made;
}

base::Image<float> SceneTransform::filtered(const Response& response) {
    State& state = *m_state;
    const base::Extents& p = state.box.points;
    const auto points = static_cast<double>(base::voxelCount(p));
    state.forPlanes(p.z, [&](std::int64_t z) {
        for (std::int64_t y = 0; y < p.y; ++y) {
            double* const row = state.box.row(y, z);
            for (std::int64_t x = 0; x < state.box.pairs(); ++x) {
                const double factor = response.at(state.frequencies.at(x, y, z)) / points;
                row[2 * x] *= factor;
                row[2 * x + 1] *= factor;
            }
        }
    });
    if (!state.stopped) {
        const cpu::FftJobs jobs(state.each);
        state.plans->inverse(state.box.values.data());
        state.stopped = jobs.stopped();
    }
    const base::Extents& n = state.extents;
    base::Image<float> made(n);
    std::visit(
        [&](const auto& view) {
            state.forPlanes(n.z, [&](std::int64_t z) {
                for (std::int64_t y = 0; y < n.y; ++y) {
                    const double* const row = state.box.row(y, z);
                    float* const out = made.view().row(y, z);
                    for (std::int64_t x = 0; x < n.x; ++x) {
                        out[x] = base::finite(view.at(x, y, z))
                                     ? static_cast<float>(row[x])
                                     : std::numeric_limits<float>::quiet_NaN();
                    }
                }
            });
        },
        state.scene);
    return made;
}

std::int64_t SceneTransform::bytes(const base::Extents& scene) {
    const base::Extents p = pointsOf(scene);
    return static_cast<std::int64_t>(sizeof(double)) * 2 * (p.x / 2 + 1) * p.y * p.z;
}

} // namespace flcc::prepare
