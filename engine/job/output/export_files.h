#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/job/input/inputs.h"
#include "engine/job/job.h"
#include "engine/job/output/outputs.h"

namespace flcc::job::detail {

/// Throws, before anything is computed, the errors that writing the exports of `job` would give.
/// **Errors**: CommandLine, Output, Problem.
void requireExportFiles(const Job& job, const Inputs& inputs);

/// The size of boxes: `asked`, or the largest extents of the templates; one number counts for all
/// axes. **Errors**: Problem for a size without z in a volume, and for one that leaves the scene.
[[nodiscard]] base::Extents boxSize(const std::optional<base::Extents>& asked,
                                    const std::vector<base::Extents>& templates,
                                    const base::Extents& scene);

/// Adds the note on boxes that leave the scene.
void noteLeftOut(const StackReport& stack, std::vector<std::string>& notes);

/// Adds the steps that write the exports of `job` and put what they are into the report.
void addExportSteps(std::vector<std::function<bool()>>& steps, const Job& job, JobResult& result,
                    OutputFiles& files, const std::stop_token& stop);

/// Digest of the bytes of an image.
[[nodiscard]] std::string imageDigest(const base::AnyView& image);
/// Digest of the bytes of scores and statuses.
[[nodiscard]] std::string mapDigest(const method::MatchMap& map);

/// The report as the file that `job` names: a page with pictures, text, or JSON.
[[nodiscard]] std::string reportText(const Job& job, const JobResult& result);
/// The same of a plan or of a stream, whose page has no pictures.
[[nodiscard]] std::string reportText(const Job& job, const JobReport& report);

} // namespace flcc::job::detail
