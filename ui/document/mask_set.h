#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "ui/document/template_set.h"

namespace flcc::ui {

/// Masks of the templates (one for all, or one for each) and of the scene.
struct MaskSet {
    std::vector<MaskEntry> templates;
    std::optional<MaskEntry> scene;
    MaskEntry opacity{}; ///< the opaque part of the active template; without an image, none

    /// Takes the opacity of the active template. A shape is one mask for templates of all sizes: it
    /// gets the size of the active one, and is made anew where `again`. `scene`: its geometry.
    void fit(const TemplateSet& all, const base::Geometry& scene, bool again = false);
    /// The mask of template `active`, or null. Without masks, its opaque part.
    [[nodiscard]] const MaskEntry* of(int active) const;
    void replace(int active, MaskEntry mask); ///< that of template `active`, or of all
    /// The mask with this image is in a file from now on.
    void setFile(const std::shared_ptr<const job::MaskImage>& image,
                 const std::filesystem::path& file);
};

} // namespace flcc::ui
