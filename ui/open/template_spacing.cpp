#include "ui/open/template_spacing.h"

#include <utility>

#include "engine/filter/resample.h"
#include "engine/job/mask_shape.h"
#include "ui/base/text.h"
#include "ui/document/document.h"
#include "ui/work/run_controller.h"

namespace flcc::ui {

bool TemplateSpacing::differs(int number) const {
    if (number < 0 || number >= static_cast<int>(m_document.templates().size()) ||
        !m_document.hasScene()) {
        return false;
    }
    const TemplateEntry& templ = m_document.templates()[static_cast<std::size_t>(number)];
    return !templ.crop && !templ.resampled &&
           base::spacingsDiffer(templ.image->geometry, m_document.geometry(),
                                m_document.isVolume());
}

bool TemplateSpacing::warn(int number) {
    if (!differs(number)) {
        return false;
    }
    const TemplateEntry& templ = m_document.templates()[static_cast<std::size_t>(number)];
    Q_EMIT resampleOffered(
        tr("%1 has another spacing than the scene: %2 and %3. They are compared voxel by voxel.")
            .arg(templ.name, spacingText(templ.image->geometry, m_document.isVolume()),
                 spacingText(m_document.geometry(), m_document.isVolume())),
        number);
    return true;
}

void TemplateSpacing::warnOfFirst() {
    for (int i = 0; i < static_cast<int>(m_document.templates().size()); ++i) {
        if (warn(i)) {
            return;
        }
    }
}

void TemplateSpacing::resample(int number) {
    if (differs(number)) {
        resample({number}, true, {});
    }
}

void TemplateSpacing::resampleAll(const ThenOpened& then) {
    std::vector<int> numbers;
    for (int i = 0; i < static_cast<int>(m_document.templates().size()); ++i) {
        if (differs(i)) {
            numbers.push_back(i);
        }
    }
    resample(numbers, false, then);
}

void TemplateSpacing::resample(const std::vector<int>& numbers, bool beside,
                               const ThenOpened& then) {
    const base::Geometry target = m_document.geometry();
    const base::Extents room = m_document.sceneExtents();
    std::vector<TemplateEntry> entries;
    for (const int number : numbers) {
        TemplateEntry entry = m_document.templates()[static_cast<std::size_t>(number)];
        const base::Extents needed =
            filter::resampledExtents(base::extentsOf(entry.image->pixels),
                                     base::spacingRatio(entry.image->geometry, target));
        if (needed.x > room.x || needed.y > room.y || needed.z > room.z) {
            Q_EMIT failed(tr("%1 would have %2 with the spacing of the scene, more than the "
                             "scene of %3. Look at both spacings (Edit > Set spacing).")
                              .arg(entry.name, sizeText(needed), sizeText(room)));
            tellOpened(then, false);
            return;
        }
        entries.push_back(std::move(entry));
    }
    m_controller.start(
        RunController::Task::Load, tr("Resampling templates"),
        [this, numbers, beside, entries, target,
         then](const std::stop_token& stop, job::JobSink*) mutable -> RunController::Done {
            for (TemplateEntry& entry : entries) {
                filter::Resampled made = filter::resample(base::viewOf(entry.image->pixels),
                                                          entry.image->geometry, target, stop);
                auto image = std::make_shared<job::SceneImage>();
                image->pixels = std::move(made.pixels);
                image->geometry = std::move(made.geometry);
                image->source = entry.image->source;
                image->sha256 = entry.image->sha256;
                image->dataFile = entry.image->dataFile;
                image->series = entry.image->series;
                image->opacity = job::resampledOpacity(*entry.image, target, stop);
                entry.place = tr("%1, resampled from %2")
                                  .arg(entry.place.isEmpty() ? entry.name : entry.place,
                                       sizeText(base::extentsOf(entry.image->pixels)));
                entry.name = tr("%1 (resampled)").arg(entry.name);
                entry.image = std::move(image);
                entry.resampled = true;
            }
            if (stop.stop_requested()) {
                return [then] { tellOpened(then, false); };
            }
            return [this, numbers, beside, entries, then] {
                for (std::size_t i = 0; i < entries.size(); ++i) {
                    if (beside) {
                        m_document.addTemplate(entries[i]);
                    } else {
                        m_document.setActiveTemplate(numbers[i]);
                        m_document.setTemplate(entries[i]);
                    }
                    Q_EMIT opened(tr("%1 has %2")
                                      .arg(entries[i].name,
                                           sizeText(base::extentsOf(entries[i].image->pixels))));
                }
                tellOpened(then, true);
            };
        });
}

} // namespace flcc::ui
