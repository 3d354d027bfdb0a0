#pragma once

#include <memory>

#include "engine/base/pixels.h"
#include "engine/method/problem.h"
#include "engine/reference/score.h"

namespace flcc::test {

/// LCC in integers of any length: every float is an integer times a power of two, so all sums are
/// exact, and the root is taken with 320 bits. Off by at most one unit in the last place of double.
/// Masks and what lies outside the scene as METHODS 2.0 says, from its formulas and not from those
/// of reference::Lcc.
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
