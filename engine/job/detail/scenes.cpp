#include "engine/job/detail/scenes.h"

#include <algorithm>
#include <numeric>

#include "engine/io/image_file.h"

namespace flcc::job {

std::filesystem::path numberedOutput(const std::filesystem::path& file, std::size_t number) {
    const std::string name =
        file.stem().string() + "-" + std::to_string(number) + file.extension().string();
    return file.parent_path() / name;
}

std::vector<Job> scenesOf(const Job& job) {
    std::vector<Job> jobs(1 + job.furtherScenes.size(), job);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        Job& own = jobs[i];
        own.furtherScenes.clear();
        if (i > 0) {
            own.scene = job.furtherScenes[i - 1];
            own.crops.clear();
            own.templateOut.clear();
        }
        for (auto output :
             {&Job::map, &Job::status, &Job::index, &Job::peaks, &Job::report, &Job::heatmap}) {
            if (jobs.size() > 1 && !(own.*output).empty()) {
                own.*output = numberedOutput(own.*output, i);
            }
        }
    }
    return jobs;
}

namespace detail {

std::vector<std::size_t> sceneOrder(const std::vector<Job>& jobs, const JobImages& images,
                                    const std::stop_token& stop) {
    std::vector<io::ImageInfo> infos(jobs.size());
    for (std::size_t i = 0; i < jobs.size() && jobs.size() > 1; ++i) {
        if (i == 0 && images.scene) {
            infos[i].extents = base::extentsOf(images.scene->pixels);
            infos[i].pixel = base::pixelType(images.scene->pixels);
        } else {
            infos[i] = io::readImageInfo(jobs[i].scene, stop);
        }
        if (stop.stop_requested()) {
            return {};
        }
    }
    std::vector<std::size_t> first; // of the scenes like this one
    for (const io::ImageInfo& info : infos) {
        const auto alike =
            std::find_if(infos.begin(), infos.end(), [&](const io::ImageInfo& other) {
                return other.extents == info.extents && other.pixel == info.pixel;
            });
        first.push_back(static_cast<std::size_t>(alike - infos.begin()));
    }
    std::vector<std::size_t> order(jobs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return first[a] < first[b]; });
    return order;
}

} // namespace detail

} // namespace flcc::job
