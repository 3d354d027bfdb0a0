#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "engine/job/kept_map.h"
#include "ui/document/document.h"

namespace flcc::ui {

/// What a thread needs to take peaks from the map of a result.
struct KeptSource {
    int id = 0; ///< ResultEntry::id
    std::shared_ptr<const job::JobResult> result;
    job::Job settings;
    std::shared_ptr<const job::SceneImage> scene;
    std::shared_ptr<const job::KeptMap> kept; ///< null until it is made

    /// The kept map, made where it is null. Null if cancelled. **Errors**: as job::keepMap.
    /// **Threads**: any.
    [[nodiscard]] std::shared_ptr<const job::KeptMap> map(const std::stop_token& stop) const;
};

/// Of the shown result; empty if it has no finished map, or one of a GPU that is not verified.
[[nodiscard]] std::optional<KeptSource> keptSource(const Document& document);

/// Whether the shown result is still the one that peaks were taken from.
[[nodiscard]] bool isStill(const Document& document, const KeptSource& source);

} // namespace flcc::ui
