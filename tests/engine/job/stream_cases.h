#pragma once

#include <QtTest>

#include <filesystem>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "engine/io/image_file.h"
#include "engine/job/job.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/scenes.h"

namespace flcc::test {

inline constexpr base::Extents kFrame{70, 52, 1};
inline constexpr base::Box kPiece{{20, 30, 0}, {12, 10, 1}};

inline base::Box sliceAt(std::int64_t z) { return {{0, 0, z}, kFrame}; }

/// A stack of noise that holds a template in every frame, at another place.
class Stack {
  public:
    explicit Stack(int frames, base::PixelType type = base::PixelType::UInt8,
                   const std::string& name = "stack.mha")
        : m_name(name) {
        base::AnyImage stack = noise(type, {kFrame.x, kFrame.y, frames}, 7);
        const base::AnyImage piece = crop(stack, kPiece);
        for (int z = 1; z < frames; ++z) {
            paste(stack, piece, {kPiece.corner.x + z % 30, kPiece.corner.y - z % 25, z});
        }
        base::Geometry geometry;
        geometry.spacing = {0.5, 0.25, 3};
        geometry.origin = {1, 2, 3};
        (void)io::writeImage(path(name), base::viewOf(stack), geometry);
        (void)io::writeImage(path("template.mha"), base::viewOf(piece), {});
        (void)io::writeImage(path("second.mha"),
                             base::viewOf(crop(stack, {{41, 7, 0}, kPiece.extents})), {});
        for (int z = 0; z < frames; ++z) { // as the frame stands in the world
            (void)io::writeImage(path("frame" + std::to_string(z) + ".mha"),
                                 base::viewOf(crop(stack, sliceAt(z))),
                                 base::movedTo(geometry, {0, 0, static_cast<double>(z)}));
        }
    }
    [[nodiscard]] std::filesystem::path path(const std::string& name) const {
        return m_folder.path(name);
    }
    [[nodiscard]] job::Job job() const {
        job::Job job;
        job.scene = path(m_name);
        job.templates = {path("template.mha")};
        job.stream = true;
        job.planning = plan::Planning::Estimate;
        job.method = "tiled"; // the same tiles, whatever the machine
        job.tile = {64, 64, 64};
        return job;
    }
    [[nodiscard]] job::Job alone(int frame) const {
        job::Job alone = job();
        alone.scene = path("frame" + std::to_string(frame) + ".mha");
        alone.stream = false;
        return alone;
    }

  private:
    std::string m_name;
    Folder m_folder;
};

/// All outputs that a stream has.
inline job::Job withStacks(job::Job job, const Folder& folder) {
    job.map = folder.path("map.mha");
    job.status = folder.path("status.nrrd");
    job.peaks = folder.path("peaks.csv");
    job.report = folder.path("report.json");
    return job;
}

/// The slice `z` of a file of voxels, as bytes.
inline std::string sliceOf(const std::filesystem::path& file, std::int64_t z) {
    const io::LoadedImage image = io::readImage(file);
    const base::AnyImage& all = image.components.front();
    const base::Extents n = image.info.extents;
    const base::AnyImage slice =
        base::copyOf(base::partOf(base::viewOf(all), {{0, 0, z}, {n.x, n.y, 1}}));
    return std::visit(
        [](const auto& typed) {
            return std::string(reinterpret_cast<const char*>(typed.data()),
                               static_cast<std::size_t>(typed.count()) * sizeof(*typed.data()));
        },
        slice);
}

/// The rows of a list of peaks, without comments and names.
inline std::vector<std::string> rowsOf(const std::filesystem::path& file) {
    std::istringstream text(bytesOf(file));
    std::vector<std::string> rows;
    for (std::string line; std::getline(text, line);) {
        if (!line.starts_with("#") && !line.starts_with("rank")) {
            rows.push_back(line);
        }
    }
    return rows;
}

class Turns : public job::JobSink {
  public:
    int turns = 0;
    std::vector<bool> readAhead;
    std::function<void(job::Phase, int)> onPhase;

    [[nodiscard]] bool wantsMaps() const override { return false; }
    void sceneStarted(const job::SceneTurn& at) override {
        QVERIFY(at.isFrame);
        QCOMPARE(at.turn, turns);
        QCOMPARE(at.number, turns);
        ++turns;
    }
    void sceneFinished(const job::SceneTurn&, const job::JobResult& result) override {
        if (result.report.stream) {
            readAhead.push_back(result.report.stream->readAhead.value_or(false));
        }
    }
    void phase(job::Phase phase) override {
        if (onPhase) {
            onPhase(phase, turns - 1);
        }
    }
};

} // namespace flcc::test
