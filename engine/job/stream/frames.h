#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/io/digest.h"
#include "engine/io/stack_reader.h"
#include "engine/job/job.h"

namespace flcc::job::detail {

/// Upper limit of the memory for reading an image.
[[nodiscard]] std::int64_t readBytes(const io::ImageInfo& info);

/// Throws for a region of a stream that is not flat. **Errors**: CommandLine.
void requireFlatRegion(const PlannedJob& job);

/// The frames of a stack, which a job with `stream` takes as its scenes: of the file, read one
/// at a time, or of a scene in memory. **Threads**: one call at a time.
class Frames {
  public:
    /// Reads the header, unless the stack is in memory; count() is 0 if cancelled. **Errors**: as
    /// io::StackReader.
    Frames(const Common& job, std::shared_ptr<const SceneImage> stack, const std::stop_token& stop);

    [[nodiscard]] int count() const { return m_count; }
    /// Of the stack.
    [[nodiscard]] base::Extents extents() const;
    [[nodiscard]] const base::Geometry& geometry() const { return m_geometry; }
    /// Upper limit of the memory for reading one frame.
    [[nodiscard]] std::int64_t bytes() const { return m_bytes; }

    /// Null if cancelled. **Errors**: as loadImage.
    [[nodiscard]] std::shared_ptr<const SceneImage> load(int number, const std::stop_token& stop);

    /// The template that a crop names; the z of its corner is the frame. Null if cancelled.
    /// **Errors**: Problem when the crop leaves the stack or has several slices; as load().
    [[nodiscard]] std::shared_ptr<const SceneImage> cut(const base::Box& crop,
                                                        const std::stop_token& stop);

    /// Completes the report of the scene by the digests of its files, when all frames were read.
    /// **Errors**: Input when a file was changed meanwhile.
    void addDigests(InputReport& scene, const std::stop_token& stop);

  private:
    std::filesystem::path m_path;
    io::Reading m_reading;
    std::shared_ptr<const SceneImage> m_stack; ///< in memory; else null
    std::optional<io::StackReader> m_reader;
    int m_count = 0;
    base::Extents m_frame; ///< of one frame
    base::Geometry m_geometry;
    bool m_stated = false; ///< the job has a spacing of its own
    std::int64_t m_bytes = 0;
};

} // namespace flcc::job::detail
