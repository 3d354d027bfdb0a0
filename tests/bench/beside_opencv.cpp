#include "tests/bench/beside_opencv.h"

#include <iostream>
#include <string>
#include <vector>

#include "tests/bench/bench_cases.h"
#include "tests/bench/contestants.h"
#include "tests/bench/peer_process.h"
#include "tests/bench/text.h"

namespace flcc::bench {

namespace {

using nlohmann::json;

void printHead(int threads, const Turns& turns) {
    OpenCvRun::setThreads(threads);
    const std::string peer = turns.ipp.empty() ? "OpenCV" : "IPP";
    std::cout << (turns.ipp.empty() ? std::string("OpenCV ") + OpenCvRun::version() : "Intel IPP")
              << ", " << threads << " threads, medians of " << turns.count << " turns of "
              << (turns.leastMs > 0 ? fixed(turns.leastMs, 0) + " ms or more" : "one call")
              << "\n\n"
              << "| scene | size | type | template | method | ours, ms | " << peer
              << ", ms | ratio | largest difference |\n|---|---|---|---|---|---:|---:|---:|---:|\n";
}

/// The mean of the calls of one turn, in milliseconds.
template <class Contestant> double turnOf(Contestant& contestant, double leastMs) {
    double sum = 0;
    int calls = 0;
    do {
        sum += contestant.run();
        ++calls;
    } while (sum < leastMs);
    return sum / calls;
}

/// One row, printed and as JSON.
template <class Peer>
json compareWith(const char* name, const std::string& peerName, Peer& peer, const Case& one,
                 const Turns& turns, base::TilePool& pool) {
    OwnRun own(one.scene, one.templ, plan::Planning::Measure, pool);
    own.run();
    peer.run();
    std::vector<double> ownMs;
    std::vector<double> peerMs;
    for (int i = 0; i < turns.count; ++i) {
        ownMs.push_back(turnOf(own, turns.leastMs));
        peerMs.push_back(turnOf(peer, turns.leastMs));
    }
    const method::Problem& problem = own.report().problem;
    const Difference apart = difference(own.map(), peer.map());
    const double ours = median(ownMs);
    const double theirs = median(peerMs);
    std::cout << "| " << one.name << " | " << sizeText(problem.scene) << " | "
              << base::name(problem.scenePixel) << " | " << sizeText(problem.templ) << " | "
              << methodText(own.candidate()) << " | " << fixed(ours, 2) << " | " << fixed(theirs, 2)
              << " | " << fixed(theirs / ours, 1) << " | " << apart.largest << " |\n"
              << std::flush;
    return {{"scene", one.name},
            {"peer", peerName},
            {"scene_extents", sizeText(problem.scene)},
            {"pixel", base::name(problem.scenePixel)},
            {"template_extents", sizeText(problem.templ)},
            {"method", methodText(own.candidate())},
            {"own_ms", ownMs},
            {std::string(name) + "_ms", peerMs},
            {"ratio", theirs / ours},
            {"largest_difference", apart.largest},
            {"voxels_compared", apart.compared},
            {"stages_ms", own.outcome().stagesMs},
            {"recomputed", own.outcome().facts.recomputed},
            {"low_confidence", own.lowConf()}};
}

/// Intel IPP with as many threads as this program.
struct IppRun {
    PeerProcess process;
    int threads;
    base::Image<float> found{};
    double run() { return process.run(threads); }
    [[nodiscard]] base::View<const float> map() {
        found = process.map();
        return found.view();
    }
};

json compareOne(const Case& one, const Turns& turns, base::TilePool& pool) {
    if (turns.ipp.empty()) {
        OpenCvRun peer(one.scene, one.templ);
        return compareWith("opencv", std::string("OpenCV ") + OpenCvRun::version(), peer, one,
                           turns, pool);
    }
    IppRun peer{PeerProcess::ipp(turns.ipp, one.scene, one.templ), pool.threads()};
    return compareWith("ipp", "Intel IPP " + peer.process.version(), peer, one, turns, pool);
}

} // namespace

json compare(base::TilePool& pool, const Turns& turns) {
    printHead(pool.threads(), turns);
    json rows = json::array();
    for (const Case& one : comparisonCases()) {
        rows.push_back(compareOne(one, turns, pool));
    }
    return rows;
}

json compareGrid(base::PixelType type, const std::set<std::string>& only, base::TilePool& pool,
                 const Turns& turns) {
    printHead(pool.threads(), turns);
    json rows = json::array();
    Cells cells;
    for (const std::int64_t scene : {512, 2000, 4096}) {
        for (const std::int64_t size : {4, 8, 11, 16, 24, 32, 64, 128, 256}) {
            const std::string cell = std::to_string(scene) + "/" + std::to_string(size);
            if (!only.empty() && !only.contains(cell)) {
                continue;
            }
            for (const Case& one : squareCases(type, scene, {size})) {
                rows.push_back(compareOne(one, turns, pool));
                cells.add(cell, rows.back().at("ratio").get<double>());
            }
        }
    }
    std::cout << "\n" << cells.summary() << "\n";
    return rows;
}

} // namespace flcc::bench
