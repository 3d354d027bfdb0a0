#include "ui/match/images/template_fit.h"

#include "engine/base/error.h"
#include "engine/method/canonical.h"
#include "ui/base/option_names.h"
#include "ui/base/text.h"
#include "ui/document/document.h"

namespace flcc::ui {

QString TemplateFit::reasonAgainst(const Document& document, const job::Job& job) {
    constexpr std::int64_t kMostVoxels = 4'000'000; // planning says it of larger ones
    const base::Extents searched = job.region ? job.region->extents : document.sceneExtents();
    const bool inside = job.extent == method::Extent::Valid;
    const auto reasonOf = [&job, searched, inside](const method::MaskedView& view) -> QString {
        const base::Extents extents = view.extents();
        if (inside && (extents.x > searched.x || extents.y > searched.y ||
                       (extents.z > searched.z && !job.stream))) {
            return tr("The template of %1 is larger than the %2 of %3: choose a smaller template, "
                      "or other placements (Advanced > Masks and edges).")
                .arg(extentsText(extents), job.region ? tr("region") : tr("scene"),
                     extentsText(searched));
        }
        if (extents.x * extents.y * extents.z > kMostVoxels) {
            return {};
        }
        try {
            method::requireUsableTemplate(view, job.operation);
        } catch (const base::Error& error) {
            return inWindowWords(error);
        }
        return {};
    };
    if (document.templates().empty()) {
        return document.activeScene() == 0
                   ? reasonOf({base::partOf(base::viewOf(document.scene().image->pixels),
                                            *document.box())})
                   : QString();
    }
    const auto& masks = document.masks();
    for (std::size_t i = 0; i < document.templates().size(); ++i) {
        const job::SceneImage& image = *document.templates()[i].image;
        method::MaskedView view(base::viewOf(image.pixels));
        if (masks.empty() && image.opacity) {
            view.mask = image.opacity->support.view();
        }
        if (masks.size() == 1 || i < masks.size()) {
            const MaskEntry& mask = masks.size() == 1 ? masks.front() : masks[i];
            if (mask.image->support.extents() != view.extents()) {
                continue; // planning says it
            }
            view.mask = mask.image->support.view();
        }
        if (const QString reason = reasonOf(view); !reason.isEmpty()) {
            return reason;
        }
    }
    return {};
}

} // namespace flcc::ui
