#include <QFileDialog>

#include "engine/io/atomic_file.h"
#include "ui/base/option_names.h"
#include "ui/base/settings.h"
#include "ui/base/text.h"
#include "ui/features/features_panel.h"
#include "ui/work/job_file.h"

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
        io::writeText(listed.job.blobs,
                      job::blobsAsText(listed, job::chosenBlobFormat(listed.job)));
        Settings::rememberFolder(QStringLiteral("export"), file);
        Q_EMIT statusMessage(tr("%n blobs saved", nullptr, static_cast<int>(m_shown.size())));
    } catch (const std::exception& error) {
        Q_EMIT statusMessage(inWindowWords(error));
    }
}

void FeaturesPanel::askJobFile() {
    if (m_document.scene().path.empty()) {
        Q_EMIT statusMessage(unsavedScene(m_document.scene()));
        return;
    }
    ui::askJobFile(this, QStringLiteral("blobJobDialog"), QStringLiteral("features.json"),
                   [this](const QString& file) { saveJob(file); });
}

/// The job writes its list beside the job file, of the strength that the slider shows.
void FeaturesPanel::saveJob(const QString& file) {
    try {
        job::FeaturesJob job = this->job();
        putScene(job, m_document.scene());
        if (m_result) {
            job.detector.maxBlobs = kMostShown;
            job.detector.minStrength = leastStrength();
        }
        job.blobs = toPath(file).replace_extension(".csv");
        Q_EMIT statusMessage(saveJobFile(job, file, m_inputs()));
    } catch (const std::exception& error) {
        Q_EMIT statusMessage(inWindowWords(error));
    }
}

} // namespace flcc::ui
