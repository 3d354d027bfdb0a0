#include <set>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/io/tilt_file.h"
#include "engine/job/job.h"
#include "engine/job/mask_shape.h"
#include "engine/job/output/output_table.h"

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

std::vector<path> outputFiles(const Job& job, bool planOnly, std::size_t templates) {
    templates = templates > 0 ? templates : job.crops.size() + job.templates.size();
    std::vector<path> files;
    for (const Job& scene : scenesOf(job)) {
        for (const detail::OutputRow& row : detail::outputTable()) {
            const path& file = row.in(scene);
            if (file.empty() || (planOnly && !row.ofPlan)) {
                continue;
            }
            const std::vector<path> all =
                row.files != nullptr ? row.files(file, templates) : std::vector{file};
            files.insert(files.end(), all.begin(), all.end());
        }
    }
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
