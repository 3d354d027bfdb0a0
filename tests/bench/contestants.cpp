#include "tests/bench/contestants.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

namespace flcc::bench {

namespace {

template <class Action> double millisecondsOf(Action&& action) {
    const auto begin = std::chrono::steady_clock::now();
    action();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
        .count();
}

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

/// OpenCV's view of an image's memory.
cv::Mat matOf(const base::Image<float>& image) {
    return {static_cast<int>(image.extents().y), static_cast<int>(image.extents().x), CV_32F,
            const_cast<float*>(image.data())}; // cv::Mat knows no constant pixels
}

} // namespace

method::Problem problemOf(const base::AnyImage& scene, const base::AnyImage& templ) {
    method::Problem problem;
    problem.scene = base::extentsOf(scene);
    problem.templ = base::extentsOf(templ);
    problem.scenePixel = base::pixelType(scene);
    problem.templPixel = base::pixelType(templ);
    return problem;
}

OwnRun::OwnRun(const base::AnyImage& scene, const base::AnyImage& templ, plan::Planning planning,
               base::TilePool& pool)
    : m_scene(base::viewOf(scene)), m_templ(base::viewOf(templ)), m_pool(pool) {
    const method::Problem problem = problemOf(scene, templ);
    const auto statistics = method::sceneStatistics(m_scene, problem.templ);
    plan::Request request;
    request.planning = planning;
    request.limits.threads = pool.threads();
    m_plan = plan::makePlan(problem, request, &m_scene, &m_templ, &statistics, pool).plan;
    if (!m_plan) {
        throw std::runtime_error("every candidate was refused");
    }
    m_plan->method().warmUp(problem, m_plan->candidate());
    m_map = method::MatchMap(method::mapExtents(problem));
}

double OwnRun::run() {
    const method::Method& method = m_plan->method();
    const method::Execution execution{m_pool, {}, {}};
    return millisecondsOf([&] {
        const auto prepared = method.prepare(m_plan->problem(), m_plan->candidate(), m_templ);
        const auto workspace = method.makeWorkspace(m_plan->problem(), m_plan->candidate());
        (void)method.execute(m_plan->problem(), m_plan->candidate(), *prepared, m_scene, *workspace,
                             execution, method::viewOf(m_map));
    });
}

double OwnRun::predictedMs() const {
    const plan::CandidateReport& chosen = *m_plan->report().chosen();
    return chosen.measuredMs.value_or(chosen.prediction->ms);
}

OpenCvRun::OpenCvRun(const base::AnyImage& scene, const base::AnyImage& templ)
    : m_scene(toFloat(scene)), m_templ(toFloat(templ)),
      m_map(base::validExtents(m_scene.extents(), m_templ.extents())) {}

double OpenCvRun::run() {
    cv::Mat map = matOf(m_map);
    return millisecondsOf(
        [&] { cv::matchTemplate(matOf(m_scene), matOf(m_templ), map, cv::TM_CCOEFF_NORMED); });
}

base::View<const float> OpenCvRun::map() const { return m_map.view(); }

void OpenCvRun::setThreads(int threads) { cv::setNumThreads(threads); }

const char* OpenCvRun::version() { return CV_VERSION; }

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

} // namespace flcc::bench
