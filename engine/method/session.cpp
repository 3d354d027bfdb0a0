#include "engine/method/session.h"

#include <string>

#include "engine/base/error.h"

namespace flcc::method {

void Session::prepare(const std::vector<MaskedView>& templs, base::TilePool& pool) {
    m_prepared.clear();
    for (const MaskedView& templ : templs) {
        m_prepared.push_back(m_method->prepare(m_problem, m_candidate, templ, pool));
    }
}

void Session::makeWorkspace() {
    if (!m_workspace) {
        m_workspace = m_method->makeWorkspace(m_problem, m_candidate);
    }
}

// The scratch memory has a part for each planned thread, which the memory of the plan counts.
void Session::requireThreads(const base::TilePool& pool) const {
    if (m_candidate.onProcessor() && pool.threads() > m_candidate.threads) {
        throw base::Error(base::ErrorCode::Problem,
                          "a plan for " + std::to_string(m_candidate.threads) +
                              " threads cannot run on a pool of " + std::to_string(pool.threads()) +
                              "; plan with limits.threads 0, which takes those of the pool");
    }
}

Outcome Session::run(const MaskedView& scene, const Execution& execution, const BankView& to) {
    requireThreads(execution.pool);
    makeWorkspace();
    return m_prepared.size() == 1 ? m_method->execute(m_problem, m_candidate, *m_prepared.front(),
                                                      scene, *m_workspace, execution, to.map)
                                  : m_method->executeBank(m_problem, m_candidate, m_prepared, scene,
                                                          *m_workspace, execution, to);
}

Outcome Session::reduce(const MaskedView& scene, const Execution& execution,
                        const Reduction& wanted) {
    requireThreads(execution.pool);
    makeWorkspace();
    return reducer()->reduce(m_problem, m_candidate, m_prepared, scene, *m_workspace, execution,
                             wanted);
}

Session Session::sharing() const {
    Session other;
    other.m_method = m_method;
    other.m_problem = m_problem;
    other.m_candidate = m_candidate;
    other.m_prepared = m_prepared;
    return other;
}

} // namespace flcc::method
