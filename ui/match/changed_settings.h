#pragma once

#include <QString>

#include <set>

#include "engine/job/job.h"
#include "ui/match/fields/sections.h"

namespace flcc::ui {

/// The sections in which a job differs from a new one.
[[nodiscard]] std::set<Section> changedSections(const job::Job& job);

/// "rotations and scales, edges"; empty where nothing differs.
[[nodiscard]] QString textOf(const std::set<Section>& changed);

/// The settings for another scene: without what belongs to the one before, which is its region,
/// threshold, preparation against noise, outputs, kept search, plan report and true positions.
[[nodiscard]] job::Job forAnotherScene(const job::Job& job);

} // namespace flcc::ui
