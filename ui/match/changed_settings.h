#pragma once

#include <QString>

#include "engine/job/job.h"

namespace flcc::ui {

/// The groups of settings in which a job differs from a new one. Images, masks and outputs are no
/// settings.
struct ChangedSettings {
    bool operation = false; ///< also the sign of the template
    bool peaks = false;     ///< threshold, number and distance
    bool poses = false;
    bool noise = false;
    bool law = false; ///< what the threshold is counted by
    bool edges = false;
    bool computation = false; ///< device, threads, memory
    bool method = false;
    bool exactness = false;
};
[[nodiscard]] ChangedSettings changedSettings(const job::Job& job);

/// "rotations and scales, edges"; empty where nothing differs.
[[nodiscard]] QString textOf(const ChangedSettings& changed);

/// The settings for another scene: without what belongs to the one before, which is its region,
/// threshold, preparation against noise, outputs, kept search, plan report and true positions.
[[nodiscard]] job::Job forAnotherScene(const job::Job& job);

} // namespace flcc::ui
