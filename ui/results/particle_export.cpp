#include "ui/results/particle_export.h"

#include <algorithm>
#include <optional>
#include <string>

#include "engine/base/error.h"
#include "engine/job/boxes.h"
#include "ui/base/text.h"
#include "ui/results/exporter.h"
#include "ui/results/particles_dialog.h"

namespace flcc::ui {

ParticleExport::ParticleExport(Document& document, Exporter& exporter, QWidget& window)
    : QObject(&window), m_document(document), m_exporter(exporter), m_window(window) {}

void ParticleExport::ask() {
    const ResultEntry* result = m_exporter.requireResult();
    if (result == nullptr || !m_document.hasScene()) {
        return;
    }
    ParticlesDialog::Peaks peaks{.decisions = result->decisions.of(m_exporter.shownPeaks(*result)),
                                 .scene = m_document.sceneExtents()};
    for (const auto& templ : result->job->templates) {
        const base::Extents each = templ->extents();
        peaks.templ = {std::max(peaks.templ.x, each.x), std::max(peaks.templ.y, each.y),
                       std::max(peaks.templ.z, each.z)};
    }
    peaks.turned = std::ranges::any_of(m_exporter.shownPeaks(*result), [](const match::Peak& peak) {
        return peak.pose && *peak.pose != rotation::Pose{};
    });
    auto* dialog = new ParticlesDialog(std::move(peaks), &m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        m_exporter.askOfResult(
            tr("Export particles"), QStringLiteral("particles") + dialog->extension(),
            tr("Stack (*%1)").arg(dialog->extension()),
            [this, options = dialog->options(), only = dialog->only()](
                const std::filesystem::path& path) { write(path, options, only); });
    });
    dialog->open();
}

void ParticleExport::write(const std::filesystem::path& path, match::PanelOptions options,
                           const std::vector<match::Decision>& only) {
    const ResultEntry* result = m_exporter.requireResult();
    if (result == nullptr || !m_document.hasScene()) {
        return;
    }
    options.references = job::referencesOf(*result->job);
    options.edges = m_document.geometry().spacing;
    std::vector<match::Peak> peaks = m_exporter.shownPeaks(*result);
    std::erase_if(peaks, [&](const match::Peak& peak) {
        const match::Decision decision = result->decisions.of(match::keyOf(peak));
        return !only.empty() && std::ranges::find(only, decision) == only.end();
    });
    m_exporter.write(
        path,
        [peaks, options, scene = m_document.scene().image, geometry = m_document.geometry()](
            const io::AtomicFile& file,
            const std::stop_token& stop) -> std::optional<std::vector<std::string>> {
            const match::Panels panels =
                match::cutPanels(base::viewOf(scene->pixels), peaks, options, stop);
            if (stop.stop_requested()) {
                return std::nullopt;
            }
            if (panels.taken.empty()) {
                throw base::Error(base::ErrorCode::Problem,
                                  "no peak has its box of " + base::toString(options.size) +
                                      " voxels inside the scene; choose a smaller size");
            }
            auto notes =
                job::writeBoxes(file, panels.voxels.view(),
                                static_cast<std::int64_t>(panels.taken.size()), geometry, stop);
            if (notes) {
                notes->insert(notes->begin(), job::textOf(job::reportOf(panels, options)));
            }
            return notes;
        });
}

} // namespace flcc::ui
