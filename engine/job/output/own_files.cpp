#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/io/tilt_file.h"
#include "engine/job/boxes.h"
#include "engine/job/job.h"
#include "engine/job/mask_shape.h"

namespace flcc::job {

using std::filesystem::path;

io::ProtectedFiles inputFiles(const Job& job) {
    io::ProtectedFiles files;
    files.add(job.planReport);
    files.add(job.truth);
    if (constexpr std::string_view kList = "list:"; job.poses.rotations.starts_with(kList)) {
        files.add(job.poses.rotations.substr(kList.size()));
    }
    for (const std::string& tilts : filesOf(job.preparation)) {
        files.add(io::splitTomogram(tilts).first);
    }
    files.addImage(job.sceneMask);
    for (const Job& scene : scenesOf(job)) {
        files.addImage(scene.scene);
    }
    for (const path& templ : job.templates) {
        files.addImage(templ);
    }
    for (const path& mask : job.masks) {
        if (!maskShapeOf(mask)) {
            files.addImage(mask);
        }
    }
    return files;
}

namespace {

/// The averages of `templates` templates: the file itself for one.
std::vector<path> averageFiles(const path& file, std::size_t templates) {
    std::vector<path> files;
    for (std::size_t i = 0; i < templates && templates > 1; ++i) {
        files.push_back(averageFile(file, static_cast<int>(i)));
    }
    return templates > 1 ? files : std::vector{file};
}

} // namespace

std::vector<path> outputFiles(const Job& job, bool planOnly, std::size_t templates) {
    templates = templates > 0 ? templates : job.crops.size() + job.templates.size();
    std::vector<path> files;
    for (const Job& scene : scenesOf(job)) {
        files.push_back(scene.report);
        if (!planOnly) {
            files.insert(files.end(), {scene.map, scene.status, scene.index, scene.templateOut,
                                       scene.peaks, scene.comparison, scene.heatmap,
                                       scene.exports.figure, scene.exports.stack});
            std::ranges::copy(averageFiles(scene.exports.averageVariance, templates),
                              std::back_inserter(files));
            for (const path& average : averageFiles(scene.exports.average, templates)) {
                files.push_back(average);
                if (!average.empty()) {
                    files.push_back(madeOfFile(average));
                }
            }
            if (!scene.searchMaps.empty()) {
                const auto maps = searchMapFiles(scene.searchMaps);
                files.insert(files.end(), maps.begin(), maps.end());
            }
        }
    }
    std::erase_if(files, [](const path& file) { return file.empty(); });
    return files;
}

void requireOwnFiles(const io::ProtectedFiles& inputs, const std::vector<path>& outputs) {
    std::set<std::string> taken;
    for (const path& output : outputs) {
        inputs.requireOther(output);
        if (!taken.insert(io::fileIdentity(output)).second) {
            throw base::Error(base::ErrorCode::CommandLine,
                              base::Message("two-outputs-one-name",
                                            "two outputs have the name {file}; give each its own",
                                            {{"file", output.string()}}));
        }
    }
}

} // namespace flcc::job
