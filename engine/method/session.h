#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "engine/base/tile_pool.h"
#include "engine/method/method_on_device.h"

namespace flcc::method {

/// A candidate of a method at work on one problem: the templates that it prepared and its scratch
/// memory, kept from run to run. Everything between a plan and a map goes through it.
/// **Threads**: one at a time; sharing() gives sessions that run beside this one.
class Session {
  public:
    /// A session without a method, on which nothing may be called but isPrepared().
    Session() = default;
    /// `method` must outlive the session.
    Session(const Method& method, Problem problem, Candidate candidate)
        : m_method(&method), m_problem(std::move(problem)), m_candidate(std::move(candidate)) {}

    /// Makes the transforms' plans, so that run() does not have to.
    void warmUp() const { m_method->warmUp(m_problem, m_candidate); }

    /// Prepares the templates in their order instead of those before. **Errors**: as
    /// Method::prepare().
    void prepare(const std::vector<MaskedView>& templs, base::TilePool& pool);
    [[nodiscard]] bool isPrepared() const { return !m_prepared.empty(); }

    /// Makes the scratch memory where there is none, as run() and reduce() do.
    void makeWorkspace();

    /// The map of the scene: of one template or, where there are several, of the best of them with
    /// its index. **Errors**: as Method::execute() and executeBank(); Problem if the candidate runs
    /// on the processor and the pool has more threads than it was planned for.
    Outcome run(const MaskedView& scene, const Execution& execution, const BankView& to);
    Outcome run(const MaskedView& scene, const Execution& execution, const MapView& map) {
        return run(scene, execution, BankView{map, {}});
    }

    /// The method if it does without the whole map; else null. Then reduce() may be called.
    [[nodiscard]] const MethodOnDevice* reducer() const { return reducerOf(*m_method, m_problem); }
    Outcome reduce(const MaskedView& scene, const Execution& execution, const Reduction& wanted);

    /// A session with the same templates and no scratch memory.
    [[nodiscard]] Session sharing() const;
    /// Hands the scratch memory to and from sessions of the same candidate; null for none.
    [[nodiscard]] std::unique_ptr<Workspace> takeWorkspace() { return std::move(m_workspace); }
    void giveWorkspace(std::unique_ptr<Workspace> workspace) { m_workspace = std::move(workspace); }

  private:
    void requireThreads(const base::TilePool& pool) const;

    const Method* m_method = nullptr;
    Problem m_problem;
    Candidate m_candidate;
    PreparedTemplates m_prepared;
    std::unique_ptr<Workspace> m_workspace;
};

} // namespace flcc::method
