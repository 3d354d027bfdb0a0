#include "engine/job/output/averages.h"

#include <filesystem>

#include "engine/job/boxes.h"
#include "engine/job/job.h"

namespace flcc::job::detail {

using std::filesystem::path;

namespace {

/// False if cancelled.
bool writeAverage(const match::Average& average, const path& target, const path& variance,
                  const AverageSource& source, std::span<const match::Peak> peaks,
                  OutputFiles& files, std::vector<std::string>& notes,
                  const std::stop_token& stop) {
    const base::Image<float> mean = floatsOf(average.mean);
    if (!target.empty()) {
        files.addText(madeOfFile(target), [&] {
            return toText(madeOf(base::AnyView(mean.view()), source.sceneSource, source.scene,
                                 peaks, average.taken));
        });
    }
    return addBoxes(files, target, mean, 0, source.geometry, notes, stop) &&
           addBoxes(files, variance, floatsOf(average.variance), 0, source.geometry, notes, stop);
}

} // namespace

bool hasAverage(const Exports& exports) {
    return !exports.average.empty() || !exports.averageVariance.empty();
}

std::optional<std::vector<AverageReport>>
makeAverages(const Exports& asked, const AverageSource& source, OutputFiles* files,
             std::vector<std::string>& notes, const std::stop_token& stop) {
    std::vector<AverageReport> reports;
    const bool several = source.templates.size() > 1;
    for (const AveragedTemplate& templ : source.templates) {
        std::vector<match::Peak> peaks;
        for (const std::size_t number : templ.peaks) {
            peaks.push_back(source.peaks[number]);
        }
        match::PanelOptions options = source.options;
        options.size = templ.size;
        const match::Average average = match::averageOf(source.scene, peaks, options, stop);
        if (stop.stop_requested()) {
            return std::nullopt;
        }
        const path target = several ? averageFile(asked.average, templ.number) : asked.average;
        const path variance =
            several ? averageFile(asked.averageVariance, templ.number) : asked.averageVariance;
        AverageReport& report = reports.emplace_back(reportOf(average, options, source.geometry));
        report.templ = templ.number;
        if (average.count > 0) {
            report.file = (target.empty() ? variance : target).string();
        }
        if (files == nullptr) {
            continue;
        }
        if (average.count == 0) {
            const std::string whose =
                several ? "no peak of template " + std::to_string(templ.number) : "no peak";
            withdrawBoxes(*files, target, whose, notes);
            withdrawBoxes(*files, variance, whose, notes);
            if (!target.empty()) {
                files->withdraw(madeOfFile(target));
            }
        } else if (!writeAverage(average, target, variance, source, peaks, *files, notes, stop)) {
            return std::nullopt;
        }
    }
    return reports;
}

bool addBoxes(OutputFiles& files, const path& target, const base::Image<float>& boxes,
              std::int64_t members, const base::Geometry& scene, std::vector<std::string>& notes,
              const std::stop_token& stop) {
    return target.empty() || files.add(target, [&](const io::AtomicFile& file) {
        const auto dropped = writeBoxes(file, boxes.view(), members, scene, stop);
        for (const std::string& note : dropped.value_or(std::vector<std::string>{})) {
            notes.push_back(target.filename().string() + ": " + note);
        }
        return dropped.has_value();
    });
}

void withdrawBoxes(OutputFiles& files, const path& target, const std::string& whose,
                   std::vector<std::string>& notes) {
    if (target.empty()) {
        return;
    }
    std::error_code ignored;
    notes.push_back(
        target.filename().string() + " is not written: " + whose + " has its box inside the scene" +
        (std::filesystem::exists(target, ignored) ? "; the older file of this name is removed"
                                                  : ""));
    files.withdraw(target);
}

} // namespace flcc::job::detail
