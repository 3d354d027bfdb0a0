#include "ui/open/template_spacing.h"

#include <utility>

#include "engine/job/scene_grid.h"
#include "ui/base/option_names.h"
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
           (base::spacingsDiffer(templ.image->geometry, m_document.geometry(),
                                 m_document.isVolume()) ||
            (!templ.asStored && job::degreesOff(*templ.image, *m_document.scene().image) > 0));
}

TemplateEntry TemplateSpacing::turned(TemplateEntry entry) const {
    const auto made = entry.asStored || entry.crop || !m_document.hasScene()
                          ? nullptr
                          : job::turnedToScene(*entry.image, *m_document.scene().image);
    if (made) {
        entry.stored = entry.image;
        entry.image = made;
    }
    return entry;
}

MaskEntry TemplateSpacing::turned(MaskEntry mask, int number) const {
    const auto& templates = m_document.templates();
    const TemplateEntry* const templ = number >= 0 && number < static_cast<int>(templates.size())
                                           ? &templates[static_cast<std::size_t>(number)]
                                           : nullptr;
    if (templ != nullptr && templ->asStored) {
        return mask;
    }
    if (const auto made = job::turnedToScene(*mask.image, *m_document.scene().image,
                                             templ == nullptr ? nullptr : templ->stored.get())) {
        mask.image = made;
    }
    return mask;
}

void TemplateSpacing::offerStored(int number) {
    if (number < 0 || number >= static_cast<int>(m_document.templates().size())) {
        return;
    }
    const TemplateEntry& templ = m_document.templates()[static_cast<std::size_t>(number)];
    if (templ.stored && templ.image->note != templ.stored->note) { // a voxel moved
        Q_EMIT storedOffered(
            tr("%1 was turned: %2.").arg(templ.name, inWindowWords(templ.image->note)), number);
    }
}

void TemplateSpacing::keepStored(int number) {
    if (number < 0 || number >= static_cast<int>(m_document.templates().size()) ||
        !m_document.templates()[static_cast<std::size_t>(number)].stored) {
        return;
    }
    TemplateEntry entry = m_document.templates()[static_cast<std::size_t>(number)];
    entry.image = std::exchange(entry.stored, nullptr);
    entry.asStored = true;
    m_document.setActiveTemplate(number);
    m_document.setTemplate(std::move(entry));
}

bool TemplateSpacing::warn(int number) {
    if (!differs(number)) {
        offerStored(number);
        return false;
    }
    const TemplateEntry& templ = m_document.templates()[static_cast<std::size_t>(number)];
    const double degrees = job::degreesOff(*templ.image, *m_document.scene().image);
    if (degrees > 0) {
        Q_EMIT resampleOffered(tr("The axes of %1 run %2 degrees off those of the scene; it cannot "
                                  "be compared voxel by voxel.")
                                   .arg(templ.name, QString::number(degrees, 'f', 2)),
                               number);
        return true;
    }
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
    const auto scene = m_document.scene().image;
    const base::Extents room = m_document.sceneExtents();
    std::vector<TemplateEntry> entries;
    for (const int number : numbers) {
        TemplateEntry entry = m_document.templates()[static_cast<std::size_t>(number)];
        const base::Extents needed = job::extentsOnSceneGrid(*entry.image, *scene, target);
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
        [this, numbers, beside, entries, scene, target,
         then](const std::stop_token& stop, job::JobSink*) mutable -> RunController::Done {
            for (TemplateEntry& entry : entries) {
                const auto image = job::onSceneGrid(entry.image, *scene, target, stop);
                entry.place = tr("%1, resampled from %2")
                                  .arg(entry.place.isEmpty() ? entry.name : entry.place,
                                       sizeText(base::extentsOf(entry.image->pixels)));
                entry.name = tr("%1 (resampled)").arg(entry.name);
                entry.image = image;
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
