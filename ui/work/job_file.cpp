#include "ui/work/job_file.h"

#include <QClipboard>
#include <QGuiApplication>

#include "engine/io/atomic_file.h"
#include "ui/base/text.h"

namespace flcc::ui {

namespace {

QString translated(const char* text) {
    return QCoreApplication::translate("flcc::ui::JobFile", text);
}

} // namespace

void putScene(job::Common& job, const SceneEntry& scene) {
    job.scene = scene.path;
    job.channel = scene.channel;
    job.frame = scene.frame;
    job.reading = scene.reading;
}

QString unsavedScene(const SceneEntry& scene) {
    return translated("A job cannot name the scene %1, which is not in a file: save it first "
                      "(File > Export > Scene).")
        .arg(scene.name);
}

QString copyCommandLine(const job::AnyJob& job) {
    QGuiApplication::clipboard()->setText(toQString(job::toCommandLine(job)));
    return translated("The job was copied to the clipboard as a command line.");
}

QString saveJobFile(const job::AnyJob& job, const QString& file, const io::ProtectedFiles& inputs) {
    const std::vector<std::filesystem::path> outputs = job::outputFiles(job);
    inputs.requireOther(toPath(file));
    job::inputFiles(job).requireOther(toPath(file));
    for (const std::filesystem::path& output : outputs) {
        inputs.requireOther(output);
    }
    io::writeText(toPath(file), job::toJobFile(job));
    return translated("Saved as %1; flcc-cli %2 --job writes %3.")
        .arg(file, toQString(job::commandOf(job)), pathText(outputs.front().filename()));
}

} // namespace flcc::ui
