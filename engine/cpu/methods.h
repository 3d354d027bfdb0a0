#pragma once

#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engine/method/method.h"

namespace flcc::cpu {

/// LCC by the definition of its numerator, register-blocked (METHODS 3.1).
[[nodiscard]] const method::Method& directMethod();

/// LCC by overlap-save with real transforms (METHODS 3.3, Karas (22)-(23)).
[[nodiscard]] const method::Method& tiledMethod();

/// LCC by half transforms of the whole scene (METHODS 3.2, FLCC II.B).
[[nodiscard]] const method::Method& fourierMethod();

/// LCC by overlap-save in the scene and overlap-add in the template (METHODS 3.4, Karas Algorithm
/// 1): for large templates in little memory.
[[nodiscard]] const method::Method& tiledTemplateMethod();

/// The libraries behind the methods and their versions.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> libraryVersions();

/// Has FFTW search for the best plans of tiles of `points` in float or in double, where it
/// transforms them: seconds, but none once they are kept as wisdom.
void searchTransforms(const base::Extents& points, bool inDouble, const std::stop_token& stop);

} // namespace flcc::cpu
