#include "engine/method/session.h"

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

Outcome Session::run(const MaskedView& scene, const Execution& execution, const BankView& to) {
    makeWorkspace();
    return m_prepared.size() == 1 ? m_method->execute(m_problem, m_candidate, *m_prepared.front(),
                                                      scene, *m_workspace, execution, to.map)
                                  : m_method->executeBank(m_problem, m_candidate, m_prepared, scene,
                                                          *m_workspace, execution, to);
}

Outcome Session::reduce(const MaskedView& scene, const Execution& execution,
                        const Reduction& wanted) {
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
