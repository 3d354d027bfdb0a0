#include "viz/volume/frame_quality.h"

#include <algorithm>
#include <cmath>

namespace flcc::viz::detail {
namespace {

constexpr double kFrameSeconds = 0.055; // a frame while something moves: slower ones stay below 0.1
constexpr double kFineFrameSeconds = 0.6; // a frame while nothing moves
constexpr double kCoarsest = 8;           // pixels per ray
constexpr double kSlowSeconds = 0.09;     // of the coarsest frame: then it holds too many triangles
constexpr double kPartSeconds = 0.05;     // a part of a fine frame, between which others may act
constexpr int kMostParts = 16;

} // namespace

FrameQuality::Distances FrameQuality::next(double lastSeconds, bool interactive, int parts) {
    // The time of the last frame tells how m_coarse the next one must be. A frame costs about as
    // many rays as it has, so the side of a ray goes with the root of the time.
    const double seconds = lastSeconds;
    if (seconds > 0) {
        if (m_coarseDrawn) {
            m_slowMoves = m_slowMoves || (m_coarse >= kCoarsest && seconds > kSlowSeconds);
            const double wanted = m_coarse * std::sqrt(seconds / kFrameSeconds);
            m_coarse =
                std::clamp(wanted > m_coarse ? wanted : (m_coarse + wanted) / 2, 1.0, kCoarsest);
            m_fineSeconds = seconds * m_coarse * m_coarse;
        } else {
            m_fineSeconds =
                m_lastParts > 1 ? std::max(m_fineSeconds, seconds * m_lastParts) : seconds;
            m_coarse = std::clamp(std::sqrt(m_fineSeconds / kFrameSeconds), 1.0, kCoarsest);
        }
    }
    const double fine = std::clamp(std::sqrt(m_fineSeconds / kFineFrameSeconds), 1.0, 2.0);
    m_coarseDrawn = interactive;
    m_lastParts = parts;
    return {interactive ? std::max(m_coarse, fine) : 1.0, interactive ? 1.5 : 0.75};
}

int FrameQuality::fineParts() const {
    return std::clamp(static_cast<int>(std::ceil(m_fineSeconds / kPartSeconds)), 1, kMostParts);
}

} // namespace flcc::viz::detail
