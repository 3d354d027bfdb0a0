#include "ui/results/result_images.h"

#include <QStringList>

#include "engine/io/image_file.h"
#include "ui/base/text.h"

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

} // namespace flcc::ui
