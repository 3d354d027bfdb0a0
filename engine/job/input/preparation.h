#pragma once

#include <stop_token>

#include "engine/job/input/inputs.h"

namespace flcc::job::detail {

/// Reads what the job's preparation names and filters the scene: sets Inputs::preparation, filters
/// and preparedScene. Needs scene, masks and templates. If cancelled, they are unspecified.
/// **Errors**: Problem for another operation than lcc, for a wedge of an image, for templates that
/// are flat where the scene is not, for lengths without a spacing; Input for files; Memory.
void prepareScene(Inputs& inputs, const Job& job, const std::stop_token& stop);

/// Filters the templates of a job without poses. **Errors**: Problem for a template of which
/// nothing is left.
void prepareTemplates(Inputs& inputs);

/// Filters the members of the bank that is made next, of group Inputs::banks.size().
void prepareBank(Inputs& inputs, rotation::PoseBank& bank);

} // namespace flcc::job::detail
