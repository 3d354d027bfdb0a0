#include "tests/bench/beside_operations.h"

#include <cmath>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "tests/bench/bench_cases.h"
#include "tests/bench/contestants.h"
#include "tests/bench/text.h"

namespace flcc::bench {

namespace {

using nlohmann::json;

/// sum |P - T| of every placement, in a plain loop.
template <class T, class Sum>
void plainDifferences(const base::View<const T>& scene, const base::View<const T>& templ,
                      base::TilePool& pool, const base::View<float>& to) {
    const base::Extents m = templ.extents();
    (void)pool.run(to.extents().y,
                   [&](std::int64_t y, int) {
                       float* const row = to.row(y, 0);
                       for (std::int64_t x = 0; x < to.extents().x; ++x) {
                           Sum sum = 0;
                           for (std::int64_t j = 0; j < m.y; ++j) {
                               const T* const a = scene.row(y + j, 0) + x;
                               const T* const b = templ.row(j, 0);
                               for (std::int64_t i = 0; i < m.x; ++i) {
                                   sum += static_cast<Sum>(std::abs(a[i] - b[i]));
                               }
                           }
                           row[x] = static_cast<float>(sum);
                       }
                   },
                   {});
}

/// The other program on one problem.
class Peer {
  public:
    Peer(const Case& one, method::Operation operation, base::TilePool& pool)
        : m_case(one), m_pool(pool), m_opencv(one.scene, one.templ, method::name(operation)),
          m_plain(operation.traits().byDefinition), m_map(m_opencv.map().extents()) {}

    [[nodiscard]] const char* name() const { return m_plain ? "plain loop" : "OpenCV"; }
    double run() {
        return m_plain ? millisecondsOf([&] {
            if (base::pixelType(m_case.scene) == base::PixelType::UInt8) {
                plain<std::uint8_t, int>();
            } else {
                plain<float, float>();
            }
        })
                       : m_opencv.run();
    }
    [[nodiscard]] base::View<const float> map() const {
        return m_plain ? base::View<const float>(m_map.view()) : m_opencv.map();
    }

  private:
    template <class T, class Sum> void plain() {
        const base::View<const T> scene = std::get<base::Image<T>>(m_case.scene).view();
        const base::View<const T> templ = std::get<base::Image<T>>(m_case.templ).view();
        plainDifferences<T, Sum>(scene, templ, m_pool, m_map.view());
    }

    const Case& m_case;
    base::TilePool& m_pool;
    OpenCvRun m_opencv;
    bool m_plain;
    base::Image<float> m_map;
};

json compareOne(const Case& one, method::Operation operation, base::TilePool& pool, int repeat) {
    OwnRun own(one.scene, one.templ, plan::Planning::Measure, pool, "auto", operation);
    Peer peer(one, operation, pool);
    own.run();
    peer.run();
    std::vector<double> ownMs;
    std::vector<double> peerMs;
    for (int i = 0; i < repeat; ++i) {
        ownMs.push_back(own.run());
        peerMs.push_back(peer.run());
    }
    const Difference apart = difference(own.map(), peer.map());
    const double ours = median(ownMs);
    const double theirs = median(peerMs);
    const std::string type(base::name(base::pixelType(one.scene)));
    std::cout << "| " << method::name(operation) << " | " << type << " | "
              << methodText(own.candidate()) << " | " << fixed(ours, 1) << " | " << peer.name()
              << " | " << fixed(theirs, 1) << " | " << fixed(theirs / ours, 2) << " | "
              << apart.largest << " | " << own.outcome().facts.largestBound << " |\n"
              << std::flush;
    return {{"operation", method::name(operation)},
            {"pixel", type},
            {"scene_extents", sizeText(own.report().problem.scene)},
            {"template_extents", sizeText(own.report().problem.templ)},
            {"method", methodText(own.candidate())},
            {"own_ms", ownMs},
            {"peer", peer.name()},
            {"peer_ms", peerMs},
            {"ratio", theirs / ours},
            {"largest_difference", apart.largest},
            {"bound", own.outcome().facts.largestBound},
            {"stages_ms", own.outcome().stagesMs},
            {"low_confidence", own.lowConf()}};
}

} // namespace

json compareOperations(base::TilePool& pool, int repeat) {
    OpenCvRun::setThreads(pool.threads());
    std::cout << "OpenCV " << OpenCvRun::version() << ", " << pool.threads()
              << " threads, medians of " << repeat << " turns\n\n"
              << "| operation | type | method | ours, ms | peer | its, ms | ratio | largest "
                 "difference | our bound |\n|---|---|---|---:|---|---:|---:|---:|---:|\n";
    json rows = json::array();
    for (const base::PixelType type : {base::PixelType::UInt8, base::PixelType::Float32}) {
        const std::vector<Case> cases = squareCases(type, 2000, {32});
        const Case& one = cases.front(); // noise
        for (std::size_t row = 1; row < method::operationTable().size(); ++row) {
            const method::OperationTraits& traits = method::operationTable()[row];
            if (traits.byDefinition || OpenCvRun::has(traits.name)) { // else it has no peer
                rows.push_back(compareOne(one, method::Operation(row), pool, repeat));
            }
        }
    }
    return rows;
}

} // namespace flcc::bench
