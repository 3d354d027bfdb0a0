#include "ui/document/mask_set.h"

#include <QCoreApplication>

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/job/mask_shape.h"
#include "ui/base/text.h"

namespace flcc::ui {

void MaskSet::fit(const TemplateSet& all, const base::Geometry& scene, bool again) {
    const TemplateEntry* const templ = all.activeEntry();
    opacity = {};
    if (templ != nullptr && templ->image->opacity) {
        opacity = {templ->image->opacity,
                   QCoreApplication::translate("MaskSet", "opacity of %1").arg(templ->name),
                   std::filesystem::path(job::kOpacityMask)};
    }
    if (templates.size() != 1 || templ == nullptr) {
        return;
    }
    const base::Extents extents = base::extentsOf(templ->image->pixels);
    if (templates.front().image->support.extents() == extents && !again) {
        return;
    }
    try {
        if (const auto shape = job::maskShapeOf(templates.front().path)) {
            templates.front().image =
                job::makeMask(*shape, extents, job::maskGrid(scene, templ->image->geometry));
        }
    } catch (const base::Error&) {
        // No voxel of this template is inside; planning says so.
    }
}

const MaskEntry* MaskSet::of(int active) const {
    if (templates.empty()) {
        return opacity.image ? &opacity : nullptr;
    }
    if (templates.size() == 1) {
        return &templates.front();
    }
    const auto number = static_cast<std::size_t>(std::max(active, 0));
    return number < templates.size() ? &templates[number] : nullptr;
}

void MaskSet::replace(int active, MaskEntry mask) {
    const auto number = static_cast<std::size_t>(std::max(active, 0));
    if (templates.size() > 1 && number < templates.size()) {
        templates[number] = std::move(mask);
    } else {
        templates = {std::move(mask)};
    }
}

void MaskSet::setFile(const std::shared_ptr<const job::MaskImage>& image,
                      const std::filesystem::path& file) {
    const auto name = [&](MaskEntry& mask) {
        if (mask.image == image) {
            mask.path = file;
            mask.name = pathText(file.filename());
        }
    };
    std::ranges::for_each(templates, name);
    if (scene) {
        name(*scene);
    }
}

} // namespace flcc::ui
