#pragma once

#include <stop_token>

#include "engine/job/features.h"
#include "ui/document/document.h"

namespace flcc::ui {

/// The planes of a scene in which `job` finds blobs: the scene itself, or the colours of its file
/// if the job may use them. Reads a file that is not in memory. Without components if cancelled.
/// **Errors**: as io::readImage; Problem if colours are asked for and the scene has none.
[[nodiscard]] job::FeaturesImage
featuresImageOf(const SceneEntry& scene, const job::FeaturesJob& job, const std::stop_token& stop);

} // namespace flcc::ui
