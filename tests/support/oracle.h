#pragma once

#include <memory>

#include "engine/base/pixels.h"
#include "engine/method/problem.h"
#include "engine/reference/score.h"

namespace flcc::test {

/// LCC in integers of any length. Every float is an integer times a power of two, so all sums are
/// exact; the root is taken with 320 bits. The error is at most one unit in the last place of
/// double. Masks and voxels outside the scene follow the formulas of engine/method/NUMERICS.md,
/// section 1, written anew and not taken from reference::Lcc.
class Oracle {
  public:
    /// `templ` must hold finite voxels under its mask, not all equal.
    explicit Oracle(const method::MaskedView& templ,
                    method::Outside outside = method::Outside::Zero, double minOverlap = 0.5);
    ~Oracle();
    Oracle(const Oracle&) = delete;
    Oracle& operator=(const Oracle&) = delete;

    [[nodiscard]] reference::Score at(const method::MaskedView& scene,
                                      const base::Index& corner) const;

  private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace flcc::test
