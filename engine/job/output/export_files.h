#pragma once

#include <functional>
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

/// Adds the steps that write the exports of `job` and put what they are into the report.
void addExportSteps(std::vector<std::function<bool()>>& steps, const Job& job, JobResult& result,
                    OutputFiles& files, const std::stop_token& stop);

/// Puts into the report what the boxes of `job` are, and writes none of them. `result` may be of
/// the same job without outputs. False if cancelled.
[[nodiscard]] bool reportBoxes(const Job& job, JobResult& result, const std::stop_token& stop);

/// Digest of the bytes of an image.
[[nodiscard]] std::string imageDigest(const base::AnyView& image);
/// Digest of the bytes of scores and statuses.
[[nodiscard]] std::string mapDigest(const method::MatchMap& map);

/// The report as the file that `job` names: a page with pictures, text, or JSON.
[[nodiscard]] std::string reportText(const Job& job, const JobResult& result);
/// The same of a plan or of a stream, whose page has no pictures.
[[nodiscard]] std::string reportText(const Job& job, const JobReport& report);

} // namespace flcc::job::detail
