#include <QFileDialog>

#include "engine/io/atomic_file.h"
#include "ui/base/option_names.h"
#include "ui/base/settings.h"
#include "ui/base/text.h"
#include "ui/features/features_panel.h"

// Lists and job files of the Blobs tab.

namespace flcc::ui {

void FeaturesPanel::askList() {
    auto* dialog =
        new QFileDialog(this, tr("Save blobs"), Settings::folder(QStringLiteral("export")),
                        tr("Blobs (*.csv *.tsv *.json);;3D Slicer (*.mrk.json)"));
    dialog->setObjectName(QStringLiteral("blobListDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("csv"));
    dialog->selectFile(QStringLiteral("blobs.csv"));
    connect(dialog, &QFileDialog::fileSelected, this, &FeaturesPanel::saveList);
    dialog->open();
}

void FeaturesPanel::saveList(const QString& file) {
    try {
        job::FeaturesResult listed;
        listed.job = m_result->job;
        listed.extents = m_result->extents;
        listed.geometry = m_document.geometry();
        listed.detection.blobs = m_shown;
        listed.job.blobs = toPath(file);
        m_inputs().requireOther(listed.job.blobs);
        io::AtomicFile out(listed.job.blobs);
        job::writeBlobs(out, listed, io::ListFormat::Auto);
        out.commit();
        Settings::rememberFolder(QStringLiteral("export"), file);
        Q_EMIT statusMessage(tr("%n blobs saved", nullptr, static_cast<int>(m_shown.size())));
    } catch (const std::exception& error) {
        Q_EMIT statusMessage(inWindowWords(error.what()));
    }
}

void FeaturesPanel::askJobFile() {
    const SceneEntry& scene = m_document.scene();
    if (scene.path.empty()) {
        Q_EMIT statusMessage(tr("A job file cannot name the scene %1, which is not in a file: save "
                                "it first (File > Export > Scene).")
                                 .arg(scene.name));
        return;
    }
    auto* dialog = new QFileDialog(this, tr("Save job"), Settings::folder(QStringLiteral("job")),
                                   tr("Job (*.json)"));
    dialog->setObjectName(QStringLiteral("blobJobDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("json"));
    dialog->selectFile(QStringLiteral("features.json"));
    connect(dialog, &QFileDialog::fileSelected, this, &FeaturesPanel::saveJob);
    dialog->open();
}

/// The job writes its list beside the job file, of the strength that the slider shows.
void FeaturesPanel::saveJob(const QString& file) {
    try {
        job::FeaturesJob job = this->job();
        const SceneEntry& scene = m_document.scene();
        job.image = scene.path;
        job.channel = scene.channel;
        job.frame = scene.frame;
        job.reading = scene.reading;
        if (m_result) {
            job.detector.maxBlobs = kMostShown;
            job.detector.minStrength = leastStrength();
        }
        job.blobs = toPath(file).replace_extension(".csv");
        io::ProtectedFiles inputs = m_inputs();
        inputs.requireOther(toPath(file));
        inputs.requireOther(job.blobs);
        io::writeText(toPath(file), job::toJobFile(job));
        Settings::rememberFolder(QStringLiteral("job"), file);
        Q_EMIT statusMessage(tr("Saved as %1; flcc-cli features --job writes %2.")
                                 .arg(file, pathText(job.blobs.filename())));
    } catch (const std::exception& error) {
        Q_EMIT statusMessage(inWindowWords(error.what()));
    }
}

} // namespace flcc::ui
