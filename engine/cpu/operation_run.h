#pragma once

#include <memory>
#include <vector>

#include "engine/method/method.h"
#include "engine/method/operation_template.h"

namespace flcc::cpu {

/// The templates of an operation other than lcc.
class OperationPrepared final : public method::Prepared {
  public:
    explicit OperationPrepared(const method::MaskedView& templ) : m_templ(templ) {}
    [[nodiscard]] const method::OperationTemplate& templ() const { return m_templ; }

  private:
    method::OperationTemplate m_templ;
};

/// The templates of a run, in their order. **Errors**: Problem for another number than the
/// problem's.
[[nodiscard]] std::vector<const method::OperationTemplate*>
operationTemplates(const method::Problem& problem, const method::PreparedTemplates& prepared);

/// Why no method has this problem's operation with its other settings; empty if one may.
[[nodiscard]] std::string operationRefusal(const method::Problem& problem);

/// Computes every placement by definition. `to` has no index if there is one template; else each
/// voxel gets the best value of all templates and, of equal ones, the first template.
[[nodiscard]] method::Outcome
runByDefinition(const method::Problem& problem,
                const std::vector<const method::OperationTemplate*>& templs,
                const method::MaskedView& scene, const base::Extents& tile,
                const method::Execution& execution, const method::BankView& to);

/// Predicted time and memory of runByDefinition().
[[nodiscard]] method::Verdict predictByDefinition(const method::Problem& problem,
                                                  const method::Candidate& candidate,
                                                  const method::Limits& limits,
                                                  const method::CostModel& model);

} // namespace flcc::cpu
