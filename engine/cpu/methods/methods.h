#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/method/method.h"

namespace flcc::cpu {

/// LCC with numerators by the definition, in blocks of registers (FLCC (10)).
[[nodiscard]] const method::Method& directMethod();

/// LCC by overlap-save with real transforms (Karas (22)-(23)).
[[nodiscard]] const method::Method& tiledMethod();

/// LCC by real transforms of the whole scene at once (FLCC II.B).
[[nodiscard]] const method::Method& fourierMethod();

/// LCC by overlap-save in the scene and overlap-add in the template (Karas Algorithm 1): for large
/// templates in little memory.
[[nodiscard]] const method::Method& tiledTemplateMethod();

/// LCC axis by axis, for templates that are a constant plus an outer product (Karas (4)-(8)).
[[nodiscard]] const method::Method& separableMethod();

/// LCC by real transforms of the whole scene in parts (Karas (17), (18)): as fourierMethod(), in
/// less memory.
[[nodiscard]] const method::Method& difMethod();

/// The libraries behind the methods and their versions.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> libraryVersions();

} // namespace flcc::cpu
