#include "tests/bench/contestants.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "engine/base/status.h"
#include "engine/job/knowledge.h"

namespace flcc::bench {

namespace {

bool isBytes(const base::AnyImage& image) {
    return base::pixelType(image) == base::PixelType::UInt8;
}

/// OpenCV's view of an image's memory, which is of 8 bit or float.
cv::Mat matOf(const base::AnyImage& image) {
    const base::Extents extents = base::extentsOf(image);
    const void* data =
        std::visit([](const auto& pixels) -> const void* { return pixels.data(); }, image);
    return {static_cast<int>(extents.y), static_cast<int>(extents.x),
            isBytes(image) ? CV_8U : CV_32F,
            const_cast<void*>(data)}; // cv::Mat knows no constant pixels
}

/// OpenCV's mode of an operation; -1 if it has none.
int modeOf(std::string_view operation) {
    return operation == "lcc"           ? cv::TM_CCOEFF_NORMED
           : operation == "correlation" ? cv::TM_CCORR
           : operation == "covariance"  ? cv::TM_CCOEFF
           : operation == "cosine"      ? cv::TM_CCORR_NORMED
           : operation == "ssd"         ? cv::TM_SQDIFF
           : operation == "nssd"        ? cv::TM_SQDIFF_NORMED
                                        : -1;
}

} // namespace

base::Image<float> toFloat(const base::AnyImage& image) {
    base::Image<float> made(base::extentsOf(image));
    std::visit(
        [&](const auto& source) {
            for (std::int64_t i = 0; i < source.count(); ++i) {
                made.data()[i] = static_cast<float>(source.data()[i]);
            }
        },
        image);
    return made;
}

method::Problem problemOf(const base::AnyImage& scene, const base::AnyImage& templ,
                          method::Operation operation) {
    method::Problem problem;
    problem.operation = operation;
    problem.precision = operation.traits().byDefinition ? method::Precision::Double
                                                        : method::Precision::Single; // as a job
    problem.scene = base::extentsOf(scene);
    problem.templ = base::extentsOf(templ);
    problem.scenePixel = base::pixelType(scene);
    problem.templPixel = base::pixelType(templ);
    return problem;
}

const plan::Knowledge& machineKnowledge() {
    static const plan::Knowledge machine = [] {
        plan::Knowledge knowledge = *job::knowledge();
        knowledge.problems.clear();
        return knowledge;
    }();
    return machine;
}

OwnRun::OwnRun(const base::AnyImage& scene, const base::AnyImage& templ, plan::Planning planning,
               base::TilePool& pool, const std::string& method, method::Operation operation)
    : m_scene(base::viewOf(scene)), m_templ(base::viewOf(templ)), m_pool(pool) {
    const method::Problem problem = problemOf(scene, templ, operation);
    const auto statistics = method::sceneStatistics(m_scene, problem.templ);
    plan::Request request;
    request.planning = planning;
    request.limits.threads = pool.threads();
    request.method = method;
    request.knowledge = &machineKnowledge();
    m_plan = plan::makePlan(problem, request, &m_scene, &m_templ, &statistics, pool).plan;
    if (!m_plan) {
        throw std::runtime_error("every candidate was refused");
    }
    m_plan->session().warmUp();
    m_map = method::MatchMap(method::mapExtents(problem),
                             problem.precision == method::Precision::Double);
}

double OwnRun::run() {
    return millisecondsOf([&] {
        method::Session session = m_plan->session();
        session.prepare({m_templ}, m_pool);
        m_outcome = session.run(m_scene, {m_pool, {}, {}}, method::viewOf(m_map));
    });
}

std::int64_t OwnRun::lowConf() const {
    return m_outcome.facts.statusCounts[static_cast<std::size_t>(base::Status::LowConf)];
}

double OwnRun::stageMs(const std::string& name) const {
    for (const auto& [stage, ms] : m_outcome.stagesMs) {
        if (stage == name) {
            return ms;
        }
    }
    return 0;
}

double OwnRun::predictedMs() const {
    const plan::CandidateReport& chosen = *m_plan->report().chosen();
    return chosen.measuredMs.value_or(chosen.prediction->ms);
}

OpenCvRun::OpenCvRun(const base::AnyImage& scene, const base::AnyImage& templ,
                     std::string_view operation)
    : m_mode(modeOf(operation)),
      m_map(base::validExtents(base::extentsOf(scene), base::extentsOf(templ))) {
    const bool asIs = isBytes(scene) && isBytes(templ); // both must have one type
    m_scene = asIs ? base::copyOf(base::viewOf(scene)) : base::AnyImage(toFloat(scene));
    m_templ = asIs ? base::copyOf(base::viewOf(templ)) : base::AnyImage(toFloat(templ));
}

bool OpenCvRun::has(std::string_view operation) { return modeOf(operation) >= 0; }

double OpenCvRun::run() {
    cv::Mat map(static_cast<int>(m_map.extents().y), static_cast<int>(m_map.extents().x), CV_32F,
                m_map.data());
    return millisecondsOf([&] { cv::matchTemplate(matOf(m_scene), matOf(m_templ), map, m_mode); });
}

base::View<const float> OpenCvRun::map() const { return m_map.view(); }

void OpenCvRun::setThreads(int threads) { cv::setNumThreads(threads); }

const char* OpenCvRun::version() { return CV_VERSION; }

Difference difference(const method::MatchMap& own, const base::View<const float>& peer) {
    Difference found;
    const auto values = own.value.view();
    const auto status = own.status.view();
    const base::Extents extents = values.extents();
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            for (std::int64_t x = 0; x < extents.x; ++x) {
                const double distance = std::abs(static_cast<double>(values.at(x, y, z)) -
                                                 static_cast<double>(peer.at(x, y, z)));
                if (base::hasValue(status.at(x, y, z)) && std::isfinite(distance)) {
                    found.largest = std::max(found.largest, distance);
                    ++found.compared;
                }
            }
        }
    }
    return found;
}

} // namespace flcc::bench
