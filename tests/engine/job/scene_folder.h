#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/io/image_file.h"
#include "engine/job/job.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/scenes.h"

namespace flcc::test {

inline constexpr base::Extents kScene{130, 96, 1};
inline constexpr base::Box kCut{{20, 30, 0}, {12, 10, 1}};

/// Where scene `number` holds the template.
inline base::Index placeIn(int number) {
    return {kCut.corner.x + 10 * number, kCut.corner.y + number, 0};
}

/// A folder with scenes of noise and templates cut from the first one; all hold the first template.
class Scenes {
  public:
    explicit Scenes(int count = 3) {
        const base::AnyImage first = noise(base::PixelType::UInt8, kScene, 5);
        for (int i = 0; i < count; ++i) {
            base::AnyImage image =
                noise(base::PixelType::UInt8, kScene, 5 + static_cast<std::uint64_t>(i));
            paste(image, crop(first, kCut), placeIn(i));
            write("scene" + std::to_string(i) + ".mha", image);
        }
        write("template.mha", crop(first, kCut));
        write("second.mha", crop(first, {{81, 47, 0}, kCut.extents}));
        write("large.mha", crop(first, {{50, 12, 0}, {21, 17, 1}}));
    }

    void write(const std::string& name, const base::AnyImage& image) const {
        (void)io::writeImage(path(name), base::viewOf(image), {});
    }
    [[nodiscard]] std::filesystem::path path(const std::string& name) const {
        return m_folder.path(name);
    }
    /// A job for the scenes of these numbers, whose tiles do not depend on times.
    [[nodiscard]] job::Job job(const std::vector<std::string>& scenes = {"scene0.mha", "scene1.mha",
                                                                         "scene2.mha"}) const {
        job::Job job;
        job.scene = path(scenes.front());
        for (std::size_t i = 1; i < scenes.size(); ++i) {
            job.furtherScenes.push_back(path(scenes[i]));
        }
        job.templates = {path("template.mha")};
        job.planning = plan::Planning::Estimate;
        job.minScore = 0.9;
        return job;
    }

  private:
    Folder m_folder;
};

} // namespace flcc::test
