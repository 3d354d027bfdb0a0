#pragma once

namespace flcc::viz::detail {

/// How coarsely a frame is ray-cast, so that it is quick enough. The times of earlier frames tell.
class FrameQuality {
  public:
    struct Distances {
        double pixels = 1; ///< for each ray
        double texels = 1; ///< between two samples of a ray
    };
    /// For the next frame, which is one of `parts` of a picture. `lastSeconds`: the time of the
    /// last frame.
    [[nodiscard]] Distances next(double lastSeconds, bool interactive, int parts);
    /// The number of parts of a fine picture between which others may act.
    [[nodiscard]] int fineParts() const;
    /// The coarsest frame took too long: no isosurface while something moves.
    [[nodiscard]] bool slowMoves() const { return m_slowMoves; }

  private:
    double m_coarse = 2;        ///< pixels per ray while interactive
    bool m_coarseDrawn = false; ///< the last frame was a coarse one
    double m_fineSeconds = 0;   ///< expected time of a fine frame
    int m_lastParts = 1;        ///< of how many the last frame was one
    bool m_slowMoves = false;
};

} // namespace flcc::viz::detail
