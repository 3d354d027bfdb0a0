#pragma once

#include "engine/job/report.h"

namespace flcc::job::detail {

/// Adds the report of frame `number` to that of the stream, which begins as the first frame's.
void addFrame(JobReport& all, JobReport one, int number);

/// Adds the threshold of a frame to that of the stream: the least value, and the laws of all. The
/// null scores stay with the frames.
void joinThreshold(std::optional<ThresholdReport>& all,
                   const std::optional<ThresholdReport>& frame);

/// Completes the report after the last frame: the spread of the times over the frames.
void endFrames(JobReport& all);

} // namespace flcc::job::detail
