#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "engine/base/status.h"
#include "engine/match/colour_map.h"

namespace flcc::viz {

/// Which score stands for a block of them in a picture: the best one, so that a peak is seen from
/// afar.
struct BestRule {
    enum class Kind { Largest, Smallest, Farthest };
    Kind kind = Kind::Largest;
    float middle = 0; ///< Farthest: the score farthest from this one

    /// Calls `use` with a function that says whether score a is better than b: decided once, not
    /// for each of millions of scores.
    template <class Use> void choose(const Use& use) const {
        switch (kind) {
        case Kind::Smallest:
            use([](float a, float b) { return a < b; });
            return;
        case Kind::Farthest:
            use([m = middle](float a, float b) { return std::abs(a - m) > std::abs(b - m); });
            return;
        case Kind::Largest:
            break;
        }
        use([](float a, float b) { return a > b; });
    }
    friend bool operator==(const BestRule&, const BestRule&) = default;
};

/// The rule for a scale: of diverging colours both ends matter, of reversed ones the low end.
[[nodiscard]] inline BestRule bestRule(const match::HeatmapScale& scale) {
    if (scale.map == match::ColourMap::Diverging) {
        return {BestRule::Kind::Farthest, static_cast<float>(scale.low / 2 + scale.high / 2)};
    }
    return {scale.reversed ? BestRule::Kind::Smallest : BestRule::Kind::Largest};
}

/// What a texel of a heatmap shows, in the bits of a float: a score, whose last bit says whether it
/// is LOWCONF; no score; or nothing yet, because no voxel of it may be read. One float instead of a
/// score and a status keeps a pyramid within its memory.
class ScoreCell {
  public:
    ScoreCell() = default;
    ScoreCell(float value, base::Status status) {
        if (!base::hasValue(status) || std::isnan(value)) {
            m_bits = kHole;
        } else {
            const auto bits = std::bit_cast<std::uint32_t>(value);
            m_bits = (bits & ~1U) | (status == base::Status::LowConf ? 1U : 0U);
        }
    }
    explicit ScoreCell(float stored) : m_bits(std::bit_cast<std::uint32_t>(stored)) {}

    [[nodiscard]] bool isUnread() const { return m_bits == kUnread; }
    [[nodiscard]] bool hasValue() const { return m_bits != kUnread && m_bits != kHole; }
    [[nodiscard]] bool isLowConf() const { return hasValue() && (m_bits & 1U) != 0; }
    [[nodiscard]] float value() const { return std::bit_cast<float>(m_bits & ~1U); }
    [[nodiscard]] float stored() const { return std::bit_cast<float>(m_bits); }

    /// Takes another cell's content if it says more: a score before no score, a better score before
    /// another one.
    template <class Better> void merge(const ScoreCell& other, const Better& better) {
        if (other.hasValue() ? !hasValue() || better(other.value(), value())
                             : isUnread() && !other.isUnread()) {
            m_bits = other.m_bits;
        }
    }

  private:
    // Two quiet NaNs.
    static constexpr std::uint32_t kHole = 0x7fc00000U;
    static constexpr std::uint32_t kUnread = 0x7fc00001U;
    std::uint32_t m_bits = kUnread;
};

} // namespace flcc::viz
