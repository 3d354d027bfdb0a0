#pragma once

#include <memory>
#include <vector>

#include "engine/job/job.h"
#include "engine/job/project.h"
#include "engine/job/project/fields.h"

// Images of a project. Each stands once in the file, however many templates and results have it.

namespace flcc::job::detail::project {

/// Numbers the images that are written.
class ImageWriter {
  public:
    /// Without `voxels`, images and masks are told apart by where they lie in memory.
    explicit ImageWriter(bool voxels = true) : m_voxels(voxels) {}

    /// The number of an image; -1 for null. Voxels of more bytes than `most` are left out.
    int add(const std::shared_ptr<const SceneImage>& image, std::int64_t most = kMostStoredBytes);
    int add(const std::shared_ptr<const MaskImage>& mask);
    /// All of them: {"images": [...], "masks": [...]}.
    [[nodiscard]] Json json() const;

  private:
    bool m_voxels;
    std::vector<std::shared_ptr<const SceneImage>> m_images; ///< kept, as their addresses are keys
    std::vector<std::shared_ptr<const MaskImage>> m_masks;
    std::vector<Json> m_imageTexts;
    std::vector<Json> m_maskTexts;
};

/// Gives the images of a file by their numbers.
class ImageReader {
  public:
    /// **Errors**: Input.
    explicit ImageReader(const Json& json);

    /// Null for -1. An image whose voxels were left out has none. **Errors**: Input.
    [[nodiscard]] std::shared_ptr<const SceneImage> image(int number) const;
    [[nodiscard]] std::shared_ptr<const MaskImage> mask(int number) const;

  private:
    std::vector<std::shared_ptr<const SceneImage>> m_images;
    std::vector<std::shared_ptr<const MaskImage>> m_masks;
};

} // namespace flcc::job::detail::project
