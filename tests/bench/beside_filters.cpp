#include "tests/bench/beside_filters.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <opencv2/imgproc.hpp>

#include "engine/base/random.h"
#include "engine/filter/planner.h"
#include "tests/bench/contestants.h"
#include "tests/bench/text.h"

namespace flcc::bench {

namespace {

using base::Extents;
using nlohmann::json;

base::Image<float> floatNoise(const Extents& extents, std::uint64_t seed) {
    base::Random random(seed);
    base::Image<float> image(extents);
    for (std::int64_t i = 0; i < image.count(); ++i) {
        image.data()[i] = static_cast<float>(100 + 20 * random.normal());
    }
    return image;
}

cv::Mat matOf(const base::Image<float>& image) {
    return {static_cast<int>(image.extents().y), static_cast<int>(image.extents().x), CV_32F,
            const_cast<float*>(image.data())};
}

/// A filter, and what OpenCV calls it; empty where OpenCV has none.
struct FilterCase {
    std::string name;
    filter::Kernel kernel;
    std::function<void(const cv::Mat&, cv::Mat&)> peer;
};

filter::Kernel imageKernel(const base::Image<float>& weights) {
    return {"image", base::AnyView(weights.view()), method::Precision::Single};
}

std::vector<FilterCase> flatCases(const Extents& n) {
    std::vector<FilterCase> cases;
    for (const std::int64_t size : {3, 7, 15, 31, 63}) {
        base::Image<float> weights = floatNoise({size, size, 1}, static_cast<std::uint64_t>(size));
        cv::Mat flipped;
        cv::flip(matOf(weights), flipped, -1); // filter2D correlates
        cases.push_back(
            {"convolution " + std::to_string(size), imageKernel(weights),
             [flipped](const cv::Mat& from, cv::Mat& to) {
                 cv::filter2D(from, to, CV_32F, flipped, {-1, -1}, 0, cv::BORDER_REPLICATE);
             }});
    }
    for (const std::int64_t size : {15, 31}) {
        const base::Image<float> line = floatNoise({size, 1, 1}, 1);
        base::Image<float> weights({size, size, 1});
        for (std::int64_t i = 0; i < size * size; ++i) {
            weights.data()[i] = line.data()[i % size] * line.data()[i / size];
        }
        cv::Mat flipped;
        cv::flip(matOf(line), flipped, -1);
        cases.push_back({"separable " + std::to_string(size), imageKernel(weights),
                         [flipped](const cv::Mat& from, cv::Mat& to) {
                             cv::sepFilter2D(from, to, CV_32F, flipped, flipped, {-1, -1}, 0,
                                             cv::BORDER_REPLICATE);
                         }});
    }
    const auto named = [&](const std::string& name, auto peer) {
        cases.push_back({name, filter::kernelByName(name, n, {}), std::move(peer)});
    };
    for (const int sigma : {2, 5, 10, 30, 100}) {
        named("gaussian:" + std::to_string(sigma), [sigma](const cv::Mat& from, cv::Mat& to) {
            cv::GaussianBlur(from, to, {0, 0}, sigma, sigma, cv::BORDER_REPLICATE);
        });
    }
    named("log:5", [](const cv::Mat& from, cv::Mat& to) { // approximately: no LoG of its own
        cv::Mat smooth;
        cv::GaussianBlur(from, smooth, {0, 0}, 5, 5, cv::BORDER_REPLICATE);
        cv::Laplacian(smooth, to, CV_32F, 1, 1, 0, cv::BORDER_REPLICATE);
    });
    named("box:15", [](const cv::Mat& from, cv::Mat& to) {
        cv::blur(from, to, {15, 15}, {-1, -1}, cv::BORDER_REPLICATE);
    });
    return cases;
}

std::vector<FilterCase> volumeCases(const Extents& n) {
    std::vector<FilterCase> cases;
    for (const std::int64_t size : {5, 15}) {
        const base::Image<float> weights =
            floatNoise({size, size, size}, static_cast<std::uint64_t>(size));
        cases.push_back({"convolution " + std::to_string(size) + "^3", imageKernel(weights), {}});
    }
    for (const char* const name : {"gaussian:3", "box:9"}) {
        cases.push_back({name, filter::kernelByName(name, n, {}), {}});
    }
    return cases;
}

json compareOne(const FilterCase& one, const base::Image<float>& scene, base::TilePool& pool,
                int repeat) {
    const filter::Problem problem{scene.extents(),           base::PixelType::Float32,
                                  one.kernel.extents(),      method::Extent::Same,
                                  filter::Border::Replicate, method::Precision::Single};
    method::Limits limits;
    limits.threads = pool.threads();
    const filter::Plan plan = filter::makePlan(
        problem, one.kernel, limits, machineKnowledge().model.value_or(method::CostModel{}),
        filter::Wanted{}, scene.view(), pool);
    const method::CandidateReport& chosen = *plan.chosen();
    filter::Convolved result;
    cv::Mat peerResult;
    const auto own = [&] {
        result = {};
        return millisecondsOf([&] {
            result = filter::convolve(problem, one.kernel, chosen.candidate, scene.view(), pool);
        });
    };
    const auto peer = [&] {
        return one.peer ? millisecondsOf([&] { one.peer(matOf(scene), peerResult); }) : 0;
    };
    own();
    peer();
    std::vector<double> ownMs;
    std::vector<double> peerMs;
    for (int i = 0; i < repeat; ++i) {
        ownMs.push_back(own());
        peerMs.push_back(peer());
    }
    double apart = 0;
    if (one.peer) {
        const auto& mine = std::get<base::Image<float>>(result.pixels);
        for (int y = 0; y < peerResult.rows; ++y) {
            for (int x = 0; x < peerResult.cols; ++x) {
                apart = std::max(apart, std::abs(static_cast<double>(mine.view().at(x, y, 0)) -
                                                 static_cast<double>(peerResult.at<float>(y, x))));
            }
        }
    }
    const double ours = median(ownMs);
    const double theirs = median(peerMs);
    std::cout << "| " << one.name << " | " << sizeText(problem.scene) << " | "
              << chosen.candidate.method << " " << sizeText(chosen.candidate.tile) << " | "
              << fixed(chosen.prediction->ms, 2) << " | " << fixed(ours, 2) << " | "
              << (one.peer ? fixed(theirs, 2) : "") << " | "
              << (one.peer ? fixed(ours / theirs, 2) : "") << " | " << apart << " | "
              << result.bound << " |\n"
              << std::flush;
    return {{"filter", one.name},
            {"scene_extents", sizeText(problem.scene)},
            {"method", chosen.candidate.method},
            {"tile", sizeText(chosen.candidate.tile)},
            {"predicted_ms", chosen.prediction->ms},
            {"own_ms", ownMs},
            {"opencv_ms", one.peer ? json(peerMs) : json(nullptr)},
            {"largest_difference", apart},
            {"bound", result.bound}};
}

} // namespace

json compareFilters(base::TilePool& pool, int repeat) {
    OpenCvRun::setThreads(pool.threads());
    std::cout
        << "OpenCV " << OpenCvRun::version() << ", " << pool.threads() << " threads, medians of "
        << repeat << " turns\n\n"
        << "| filter | scene | method | predicted, ms | ours, ms | OpenCV, ms | ours / OpenCV "
           "| largest difference | our bound |\n|---|---|---|---:|---:|---:|---:|---:|---:|\n";
    json rows = json::array();
    const base::Image<float> scene = floatNoise({2000, 2000, 1}, 1);
    for (const FilterCase& one : flatCases(scene.extents())) {
        rows.push_back(compareOne(one, scene, pool, repeat));
    }
    const base::Image<float> volume = floatNoise({128, 128, 128}, 2);
    for (const FilterCase& one : volumeCases(volume.extents())) {
        rows.push_back(compareOne(one, volume, pool, repeat));
    }
    return rows;
}

} // namespace flcc::bench
