#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "engine/job/job.h"

namespace flcc::job::detail {

// `--channel all`: the channels of a flat image are the slices of a volume, in which a template has
// one placement along z. Sums over a panel then run over all channels.

[[nodiscard]] inline bool sumsChannels(const Job& job) { return job.channel == kAllChannels; }

/// The channel or frame of a mask, which has no colours.
[[nodiscard]] inline std::optional<int> maskChannel(const Job& job) {
    return sumsChannels(job) ? std::nullopt : job.channel;
}

/// An image whose slices are the channels of the flat image in `path`; null if cancelled.
/// **Errors**: as io::readImage; Problem for a volume.
[[nodiscard]] std::shared_ptr<const SceneImage>
loadChannels(const std::filesystem::path& path, std::optional<int> frame,
             const std::stop_token& stop, std::int64_t memoryBytes, const io::Reading& reading);

/// `image` if it may serve the job: with `--channel all` an image in memory must have its channels.
[[nodiscard]] std::shared_ptr<const SceneImage>
usable(const Job& job, const std::shared_ptr<const SceneImage>& image);

/// The scene of a job: `known` if that is usable(), else read.
/// **Errors**: as loadImage(); Problem for a scene without a file.
[[nodiscard]] std::shared_ptr<const SceneImage>
sceneOf(const Job& job, const std::shared_ptr<const SceneImage>& known,
        const std::stop_token& stop);

/// A box of flat images with all slices that `image` has for channels.
[[nodiscard]] base::Box withChannels(base::Box box, const SceneImage& image);

/// A mask of a flat image, repeated for every channel of `image`; as it is for other images.
[[nodiscard]] std::shared_ptr<const MaskImage>
withChannels(const std::shared_ptr<const MaskImage>& mask, const SceneImage& image);

/// Throws if the job cannot sum over channels. **Errors**: Problem.
void requireChannels(const Job& job);
/// Throws unless a template has as many channels as the scene. **Errors**: Problem.
void requireSameChannels(const SceneImage& scene, const SceneImage& templ);

} // namespace flcc::job::detail
