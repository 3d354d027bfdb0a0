#include "engine/job/made_of.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <new>

#include <nlohmann/json.hpp>

#include "engine/base/text.h"
#include "engine/job/output/export_files.h"

namespace flcc::job {

namespace {

using Json = nlohmann::ordered_json;

/// A file that is larger was not written by this program.
constexpr std::uintmax_t kLargest = 64 << 20;

} // namespace

MadeOf madeOf(const base::AnyView& average, const std::string& sceneSource,
              const base::AnyView& scene, std::span<const match::Peak> peaks,
              const std::vector<std::size_t>& taken) {
    MadeOf made{sceneSource, detail::imageDigest(scene), detail::imageDigest(average), {}};
    for (const std::size_t i : taken) {
        made.centres.push_back(peaks[i].centre);
    }
    return made;
}

std::filesystem::path madeOfFile(const std::filesystem::path& average) {
    std::filesystem::path file = average;
    file += ".json";
    return file;
}

std::string toText(const MadeOf& made) {
    return Json{{"average_of", "boxes of a scene at these centres, in voxels from 0"},
                {"scene", base::storedText(made.scene)},
                {"scene_voxels_sha256", made.sceneSha256},
                {"average_voxels_sha256", made.averageSha256},
                {"centres", made.centres}}
               .dump(2, ' ', false, Json::error_handler_t::replace) +
           "\n";
}

std::shared_ptr<const MadeOf> readMadeOf(const std::filesystem::path& average) {
    const std::filesystem::path file = madeOfFile(average);
    std::error_code none;
    if (!std::filesystem::is_regular_file(file, none) ||
        std::filesystem::file_size(file, none) > kLargest) {
        return nullptr;
    }
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (base::nestsTooDeep(text)) {
        return nullptr;
    }
    try {
        const Json json = Json::parse(text);
        return std::make_shared<MadeOf>(
            MadeOf{base::restoredText(json.at("scene").get<std::string>()),
                   json.at("scene_voxels_sha256").get<std::string>(),
                   json.at("average_voxels_sha256").get<std::string>(),
                   json.at("centres").get<std::vector<base::Point>>()});
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception&) { // another file of this name
        return nullptr;
    }
}

std::int64_t markMadeOf(const MadeOf& made, int templ, const base::Extents& extents,
                        std::vector<match::Peak>& peaks) {
    const base::Point half{0.5 * static_cast<double>(extents.x),
                           0.5 * static_cast<double>(extents.y),
                           0.5 * static_cast<double>(extents.z)};
    std::int64_t count = 0;
    for (match::Peak& peak : peaks) {
        const bool own = peak.templ == templ &&
                         std::ranges::any_of(made.centres, [&](const base::Point& centre) {
                             return std::abs(peak.centre[0] - centre[0]) <= half[0] &&
                                    std::abs(peak.centre[1] - centre[1]) <= half[1] &&
                                    std::abs(peak.centre[2] - centre[2]) <= half[2];
                         });
        peak.madeOf = peak.madeOf || own;
        count += own ? 1 : 0;
    }
    return count;
}

} // namespace flcc::job
