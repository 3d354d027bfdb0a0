#include "tests/bench/beside_skimage.h"

#include <algorithm>
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

constexpr double kLongMs = 5000;

/// One row, printed and as JSON.
json compareOne(const Case& one, int repeat, base::TilePool& pool) {
    OwnRun own(one.scene, one.templ, plan::Planning::Measure, pool);
    PeerProcess peer = PeerProcess::skimage(toFloat(one.scene), toFloat(one.templ));
    own.run();
    const bool isLong = peer.run(pool.threads()) > kLongMs;
    std::vector<double> ownMs;
    std::vector<double> peerMs;
    std::vector<double> plainMs; // as it is called without further ado: one thread
    for (int i = 0; i < (isLong ? std::min(repeat, 3) : repeat); ++i) {
        ownMs.push_back(own.run());
        peerMs.push_back(peer.run(pool.threads()));
        plainMs.push_back(peer.run(1));
    }
    const method::Problem& problem = own.report().problem;
    const Difference apart = difference(own.map(), peer.map().view());
    const double ours = median(ownMs);
    const double theirs = median(peerMs);
    const double plain = median(plainMs);
    std::cout << "| " << one.name << " | " << sizeText(problem.scene) << " | "
              << sizeText(problem.templ) << " | " << methodText(own.candidate()) << " | "
              << fixed(ours, 1) << " | " << fixed(theirs, 0) << " | " << fixed(theirs / ours, 1)
              << " | " << fixed(plain, 0) << " | " << fixed(plain / ours, 1) << " | "
              << apart.largest << " |\n"
              << std::flush;
    return {{"scene", one.name},
            {"peer", "scikit-image " + peer.version()},
            {"scene_extents", sizeText(problem.scene)},
            {"template_extents", sizeText(problem.templ)},
            {"method", methodText(own.candidate())},
            {"own_ms", ownMs},
            {"skimage_ms", peerMs},
            {"skimage_one_thread_ms", plainMs},
            {"ratio", theirs / ours},
            {"ratio_one_thread", plain / ours},
            {"largest_difference", apart.largest},
            {"voxels_compared", apart.compared},
            {"stages_ms", own.outcome().stagesMs},
            {"recomputed", own.outcome().facts.recomputed},
            {"low_confidence", own.lowConf()}};
}

} // namespace

json compareVolumes(bool large, base::TilePool& pool, int repeat) {
    struct Sizes {
        std::int64_t scene;
        std::int64_t templ;
    };
    constexpr std::int64_t kLargest = 513;
    std::vector<Sizes> list{{128, 8}, {200, 8}, {200, 24}, {256, 32}};
    if (large) {
        list.push_back({kLargest, 8});
    }
    std::cout
        << pool.threads() << " threads, medians of " << repeat
        << " alternating calls\n\n"
           "| scene | size | template | method | ours, ms | match_template, ms | ratio | with "
           "one thread, ms | ratio | largest difference "
           "|\n|---|---|---|---|---:|---:|---:|---:|---:|---:|\n";
    json rows = json::array();
    Cells cells;
    Cells plain;
    for (const Sizes& sizes : list) {
        for (const Case& one : volumeCases(sizes.scene, sizes.templ)) {
            rows.push_back(compareOne(one, repeat, pool));
            if (sizes.scene != kLargest) {
                const std::string cell =
                    std::to_string(sizes.scene) + "/" + std::to_string(sizes.templ);
                cells.add(cell, rows.back().at("ratio").get<double>());
                plain.add(cell, rows.back().at("ratio_one_thread").get<double>());
            }
        }
    }
    std::cout << "\n- as many threads: " << cells.summary()
              << "\n- match_template with one: " << plain.summary() << "\n";
    return rows;
}

} // namespace flcc::bench
