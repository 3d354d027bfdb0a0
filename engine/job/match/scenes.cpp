#include "engine/job/match/scenes.h"

#include <algorithm>
#include <utility>

#include "engine/io/image_file.h"
#include "engine/job/output/output_table.h"

namespace flcc::job {

using std::filesystem::path;

std::filesystem::path detail::withWord(const std::filesystem::path& file, const std::string& word) {
    // ".nii.gz" is one extension.
    std::filesystem::path stem = file.stem();
    std::string extension = file.extension().string();
    if (extension == ".gz" && stem.extension() == ".nii") {
        extension.insert(0, stem.extension().string());
        stem = stem.stem();
    }
    return file.parent_path() / (stem.string() + "-" + word + extension);
}

std::filesystem::path numberedOutput(const std::filesystem::path& file, std::size_t number) {
    return detail::withWord(file, std::to_string(number));
}

std::array<std::filesystem::path, 3> searchMapFiles(const std::filesystem::path& file) {
    return {detail::withWord(file, "mean"), detail::withWord(file, "deviation"),
            detail::withWord(file, "z")};
}

std::vector<Job> scenesOf(const Job& job) {
    std::vector<Job> jobs(1 + job.furtherScenes.size(), job);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        Job& own = jobs[i];
        own.furtherScenes.clear();
        if (i > 0) {
            own.scene = job.furtherScenes[i - 1];
            own.crops.clear();
        }
        for (const detail::OutputRow& row : detail::outputTable()) {
            path& output = row.of(own);
            if (jobs.size() > 1 && row.eachScene && !output.empty()) {
                output = numberedOutput(output, i);
            } else if (i > 0 && !row.eachScene) {
                output.clear();
            }
        }
    }
    return jobs;
}

namespace detail {

std::vector<OrderedScene> frameOrder(const Frames& frames) {
    std::vector<OrderedScene> order(static_cast<std::size_t>(frames.count()));
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = {i, frames.bytes(), 0};
    }
    return order;
}

std::vector<OrderedScene> sceneOrder(const std::vector<Job>& jobs, const JobImages& images,
                                     const std::stop_token& stop) {
    std::vector<io::ImageInfo> infos(jobs.size());
    for (std::size_t i = 0; i < jobs.size() && jobs.size() > 1; ++i) {
        if (const auto image = images.sceneOf(i)) {
            infos[i].extents = base::extentsOf(image->pixels);
            infos[i].pixel = base::pixelType(image->pixels);
        } else {
            infos[i] = io::readImageInfo(jobs[i].scene, stop, jobs[i].reading);
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
    std::vector<OrderedScene> order(jobs.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = {i, jobs.size() > 1 ? readBytes(infos[i]) : 0, first[i]};
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const OrderedScene& a, const OrderedScene& b) { return a.kind < b.kind; });
    return order;
}

} // namespace detail

} // namespace flcc::job
