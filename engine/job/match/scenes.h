#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/io/list_file.h"
#include "engine/job/job.h"
#include "engine/job/match/flight.h"
#include "engine/job/match/group_run.h"
#include "engine/job/output/frame_outputs.h"
#include "engine/job/output/outputs.h"
#include "engine/job/stream/frames.h"
#include "engine/search/pruned_search.h"

namespace flcc::job::detail {

/// A scene and its number.
struct OrderedScene {
    std::size_t number = 0;
    std::int64_t bytes = 0; ///< upper limit of the memory for reading it
    std::size_t kind = 0;   ///< equal for scenes of equal extents and type
};

/// The order in which the scenes of `jobs` (one for each) are processed: the first scene first, and
/// scenes of equal extents and type after each other, so that they can share plans and templates.
/// Reads the headers of all scenes if there are several; `images` are in memory already. If
/// cancelled, the result is unspecified.
/// **Errors**: Input, before anything is computed, for a scene that cannot be read.
[[nodiscard]] std::vector<OrderedScene>
sceneOrder(const std::vector<Job>& jobs, const JobImages& images, const std::stop_token& stop);

/// The order of the frames of a stack, which are alike.
[[nodiscard]] std::vector<OrderedScene> frameOrder(const Frames& frames);

/// What the scenes of a job have in common.
struct Stream {
    const std::vector<Job>& jobs; ///< one for each scene; the last one is for all that follow
    const std::vector<OrderedScene>& order; ///< order of processing
    const JobImages& images;                ///< of which the scenes count
    std::size_t turn = 0;                   ///< the current scene, as an index into `order`
    std::vector<Shared> shared{};           ///< passed on by the previous scene
    OutputFiles files{};
    int inFlight = 1; ///< number of scenes that the current plan allows at once
    /// Workspaces of finished scenes, for flights with the same plan.
    std::vector<std::unique_ptr<method::Workspace>> spare{};
    /// Of searches that prune: the templates of each group as they were prepared last.
    std::vector<std::shared_ptr<const search::Prepared>> pruned{};
    /// The ways to search, as they were compared for the first scene of its kind; the chosen one
    /// first.
    std::vector<SearchRow> searches{};
    double choosingMs = 0;                           ///< that comparing them took
    std::map<std::size_t, io::PositionList> lists{}; ///< of finished scenes, for Job::allPeaks
    /// What all scores of that scene take by the cost model; 0: nothing is known.
    double exhaustiveModelMs = 0;
    /// If the scenes are the frames of a stack: these, and what is written of them.
    Frames* frames = nullptr;
    FrameOutputs* outputs = nullptr;
    /// There was memory for the next frame beside the run of the last one.
    bool readsFrames = false;
    Ahead ahead{}; ///< last: it may still be working when the job ends

    [[nodiscard]] bool several() const { return frames != nullptr || jobs.size() > 1; }
    [[nodiscard]] int count() const { return static_cast<int>(order.size()); }
    /// The scene `later` places after the current one, for sentences.
    [[nodiscard]] std::string nameOf(std::size_t later) const {
        const std::string file = job(later).scene.string();
        return frames == nullptr ? file
                                 : file + ", frame " + std::to_string(order[turn + later].number);
    }
    [[nodiscard]] int scene() const { return static_cast<int>(order[turn].number); }
    /// True if there is a scene `later` places after the current one and it has the same kind.
    [[nodiscard]] bool has(std::size_t later) const { return turn + later < order.size(); }
    [[nodiscard]] bool hasAlike(std::size_t later) const {
        return has(later) && order[turn + later].kind == order[turn].kind;
    }
    /// True if the scene before is of the same kind.
    [[nodiscard]] bool isAlike() const {
        return turn > 0 && order[turn - 1].kind == order[turn].kind;
    }
    [[nodiscard]] const Job& job(std::size_t later) const {
        return jobs[std::min(order[turn + later].number, jobs.size() - 1)];
    }
    /// The same scene, if it is in memory.
    [[nodiscard]] std::shared_ptr<const SceneImage> image(std::size_t later) const {
        return frames != nullptr ? nullptr : images.sceneOf(order[turn + later].number);
    }
    /// Memory for reading the next scene; 0 without one.
    [[nodiscard]] std::int64_t nextBytes() const { return has(1) ? order[turn + 1].bytes : 0; }
    /// From now on scenes run one after the other, until a scene is planned anew.
    void ground() {
        ahead.ground();
        spare.clear();
        inFlight = 1;
    }
};

} // namespace flcc::job::detail
