#pragma once

#include <memory>

#include "engine/base/pixels.h"
#include "engine/reference/score.h"

namespace flcc::test {

/// LCC in integers of any length: every float is an integer times a power of two, so all sums are
/// exact, and the root is taken with 320 bits. Off by at most one unit in the last place of double.
class Oracle {
  public:
    /// `templ` must hold finite voxels, not all equal.
    explicit Oracle(const base::AnyView& templ);
    ~Oracle();
    Oracle(const Oracle&) = delete;
    Oracle& operator=(const Oracle&) = delete;

    [[nodiscard]] reference::Score at(const base::AnyView& scene, const base::Index& corner) const;

  private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace flcc::test
