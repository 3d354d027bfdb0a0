#include "tests/engine/job/job_cases.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "engine/job/any_job.h"

namespace flcc::test {

job::JobImages imagesOf(base::AnyImage scene, base::AnyImage templ,
                        const base::Geometry& geometry) {
    auto first = std::make_shared<job::SceneImage>();
    first->pixels = std::move(scene);
    first->geometry = geometry;
    first->source = "memory";
    auto second = std::make_shared<job::SceneImage>();
    second->pixels = std::move(templ);
    second->source = "memory template";
    return {std::move(first), {std::move(second)}};
}

std::vector<std::string> Folder::names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(m_folder.path().toStdString())) {
        names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

job::Job matchOf(const std::vector<std::string>& arguments) {
    return std::get<job::Job>(job::parseArguments("match", arguments).job);
}

std::string bytesOf(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream bytes;
    bytes << in.rdbuf();
    return bytes.str();
}

job::Job withOutputs(job::Job job, const Folder& folder) {
    job.map = folder.path("map.mha");
    job.status = folder.path("status.mha");
    job.peaks = folder.path("peaks.csv");
    job.report = folder.path("report.json");
    job.heatmap = folder.path("heatmap.png");
    job.templateOut = folder.path("template.mha");
    return job;
}

Thrown thrownBy(const std::function<void()>& run) {
    try {
        run();
    } catch (const base::Error& error) {
        return {error.code(), error.what()};
    }
    return {};
}

} // namespace flcc::test
