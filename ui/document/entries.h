#pragma once

#include <QImage>
#include <QString>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "engine/job/job.h"
#include "engine/job/project.h"
#include "engine/job/result.h"

namespace flcc::ui {

/// A scene of the window and its source. The pixels of the first scene, of the shown scene and of
/// made scenes are in memory. The pixels of another scene are read when it is shown or searched.
struct SceneEntry {
    std::shared_ptr<const job::SceneImage> image; ///< null: the pixels are not in memory
    QString name;
    std::filesystem::path path; ///< empty for a sample
    QString sample;             ///< name of the built-in sample, or empty
    std::optional<int> channel;
    std::optional<int> frame;
    /// Without an image: from the file's header.
    base::PixelType type = base::PixelType::Float32;
    QImage thumbnail{};             ///< null until the pixels have been read once
    bool made = false;              ///< the result of a filter, which no file holds
    std::filesystem::path origin{}; ///< of a made scene: the file that it goes back to, or empty
    base::Extents extents{0, 0, 0};
    bool aside = false;    ///< kept beside a binned scene, and not searched
    bool missing = false;  ///< its file is not there: the pixels are black, and not searched
    io::Reading reading{}; ///< how the file is taken
    /// The bytes of the file, where a project knows them.
    std::optional<job::FileIdentity> identity{};
};

/// A template: cut from the scene (`crop`), opened from a file (`path`), or a sample's own
/// (neither).
struct TemplateEntry {
    std::shared_ptr<const job::SceneImage> image;
    QString name;
    std::filesystem::path path;
    std::optional<base::Box> crop;
    /// Where an opened template was cut, according to its file. For display only.
    QString place;
    bool resampled = false; ///< brought to the grid of the scene; the file is as it was
    /// Where its axes were turned to those of the scene: as its file stores it.
    std::shared_ptr<const job::SceneImage> stored{};
    bool asStored = false; ///< it keeps its axes, whatever directions it states
};

/// A mask of templates or of the scene. A mask that was drawn has no path until it is saved; the
/// path of a shape (engine/job/mask_shape.h) is its text.
struct MaskEntry {
    std::shared_ptr<const job::MaskImage> image;
    QString name;
    std::filesystem::path path;
};

/// What a job works on beside the scenes.
struct RunInputs {
    std::vector<TemplateEntry> templates;
    int active = -1; ///< number of the active template
    std::vector<MaskEntry> masks;
    std::optional<MaskEntry> sceneMask;
};

/// The result of a finished or cancelled run, with its job. A run over several scenes has one entry
/// for each scene.
struct ResultEntry : job::Result { // its scene has no pixels if the run had several scenes
    QString title;
    int scene = 0; ///< number of the scene in the list
    int run = 0;   ///< the same number for all scenes of a run; 0: a run of one scene
    RunInputs inputs{};
    QImage thumbnail{};       ///< of the map, made where the run was; null without a map
    bool mapReleased = false; ///< the map was given up for newer ones; the peaks are there
    int id = 0;               ///< of all results of the document, given by Document::addResult()
};

/// Limit of the memory for the maps of all results: a quarter of the memory of a small machine (8
/// GiB). When a new result exceeds the limit, the document releases maps, the oldest first, and
/// keeps the peaks. Partial maps go before complete ones, even a new partial map before an older
/// complete one; a partial result without peaks goes with its map. The map of the newest result, of
/// the shown one and of the last one of a scene, which is shown with the scene, stay if they are
/// complete.
inline constexpr std::int64_t kMostResultBytes = std::int64_t{2} << 30;

/// A removed result keeps its map for undo if the map takes at most this share of that limit (64
/// MiB): a result is removed for its memory, too.
inline constexpr std::int64_t kRemovedShare = 32;

/// Bytes of the map, statuses and index of a result.
[[nodiscard]] std::int64_t resultBytes(const job::JobResult& result);

/// True if the score plus its error bound reaches the threshold, so that a threshold of 1 still
/// finds exact copies.
[[nodiscard]] bool reaches(const match::Peak& peak, double minScore);

/// True if a peak of a result reaches the threshold, or a person added it.
[[nodiscard]] bool isListed(const ResultEntry& result, const match::Peak& peak, double minScore);

/// The peaks of the shown result that the table and the views show.
struct PeakChoice {
    std::vector<int> shown; ///< indices into the result's list, ascending
    double minScore = -2;   ///< also applies to the peaks of other results
    bool filtered = false;  ///< a text filter applies, too
};

} // namespace flcc::ui
