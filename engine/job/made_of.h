#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/extents.h"
#include "engine/base/geometry.h"
#include "engine/base/pixels.h"
#include "engine/match/peaks.h"

namespace flcc::job {

/// The places in a scene whose boxes an average was made of.
struct MadeOf {
    std::string scene;                ///< where the scene came from
    std::string sceneSha256;          ///< imageDigest() of it
    std::string averageSha256;        ///< imageDigest() of the average
    std::vector<base::Point> centres; ///< Peak::centre of each box
};

/// Those of an average of the `taken` peaks (match::Average::taken). **Cost**: reads both images.
[[nodiscard]] MadeOf madeOf(const base::AnyView& average, const std::string& sceneSource,
                            const base::AnyView& scene, std::span<const match::Peak> peaks,
                            const std::vector<std::size_t>& taken);

/// The file that stands beside an average: "average.mrc.json". It says the same for every format,
/// most of which have no place for it.
[[nodiscard]] std::filesystem::path madeOfFile(const std::filesystem::path& average);
[[nodiscard]] std::string toText(const MadeOf& made);
/// What stands beside this file; null if there is nothing, or it is malformed.
[[nodiscard]] std::shared_ptr<const MadeOf> readMadeOf(const std::filesystem::path& average);

/// Marks the peaks of template `templ` that lie within half of its `extents` of such a place on
/// each axis, where no two peaks are by default. Returns their number. The scores of such peaks are
/// too high: the average holds their own noise.
std::int64_t markMadeOf(const MadeOf& made, int templ, const base::Extents& extents,
                        std::vector<match::Peak>& peaks);

} // namespace flcc::job
