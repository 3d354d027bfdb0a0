#include "ui/results/result_images.h"

#include <QStringList>

#include "engine/base/error.h"
#include "engine/io/image_file.h"
#include "ui/base/text.h"
#include "ui/document/document.h"

namespace flcc::ui {

QString imageFilters() {
    QStringList filters;
    for (const std::string& extension : io::writableExtensions()) {
        const QString name = toQString(extension);
        filters << QStringLiteral("%1 (*.%2)").arg(name.toUpper(), name);
    }
    return filters.join(QStringLiteral(";;"));
}

base::AnyImage statusBytes(const method::MatchMap& map) {
    base::Image<std::uint8_t> bytes(map.status.extents());
    for (std::int64_t i = 0; i < bytes.count(); ++i) {
        bytes.data()[i] = static_cast<std::uint8_t>(map.status.data()[i]);
    }
    return bytes;
}

std::map<std::string, std::string> metadataOf(const job::JobResult& result) {
    const std::string unfinished = job::unfinishedText(result.report);
    return unfinished.empty() ? std::map<std::string, std::string>()
                              : std::map<std::string, std::string>{{"flcc_note", unfinished}};
}

std::optional<std::vector<std::string>>
withWarning(std::optional<std::vector<std::string>> sentences, const job::JobResult& result) {
    if (sentences && job::isUnfinished(result.report)) {
        sentences->push_back("It is " + job::unfinishedText(result.report) + ".");
    }
    return sentences;
}

job::JobReport judgedReport(const ResultEntry& result) {
    job::JobReport report = result.job->report;
    report.decisions = result.decisions;
    return report;
}

job::JobResult drawable(const ResultEntry& result, const std::vector<SceneEntry>& scenes,
                        const std::stop_token& stop) {
    job::JobResult drawn = *result.job;
    drawn.report = judgedReport(result);
    if (drawn.scene->extents().x > 0) {
        return drawn;
    }
    const SceneEntry& scene = scenes.at(static_cast<std::size_t>(result.scene));
    if (scene.missing) {
        throw base::Error(base::ErrorCode::Problem,
                          Document::tr("the file of %1 is not there, so the result cannot be drawn")
                              .arg(scene.name)
                              .toStdString());
    }
    const auto image = scene.image ? scene.image
                                   : job::loadImage(scene.path, scene.channel, scene.frame, stop, 0,
                                                    scene.reading);
    const std::string& before = drawn.scene->sha256;
    if (image->extents() != drawn.report.scene ||
        (!before.empty() && !image->sha256.empty() && image->sha256 != before)) {
        throw base::Error(base::ErrorCode::Problem,
                          Document::tr("%1 has changed since it was searched, so the result cannot "
                                       "be drawn: run again")
                              .arg(scene.name)
                              .toStdString());
    }
    drawn.scene = image;
    return drawn;
}

} // namespace flcc::ui
