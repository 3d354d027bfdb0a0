#include "tests/bench/memory.h"

#include <malloc.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/base/allocation.h"
#include "engine/base/tile_pool.h"
#include "engine/job/report/machine.h"
#include "tests/bench/bench_cases.h"
#include "tests/bench/contestants.h"
#include "tests/bench/text.h"

namespace flcc::bench {

namespace {

using base::Extents;
using base::PixelType;
using nlohmann::json;

constexpr std::int64_t kVoxelBytes = 5; // of a map and its statuses
constexpr double kMiB = 1024.0 * 1024.0;

/// What a scene is filled with: noise, or noise a ten-thousandth as strong in its upper half, which
/// single precision cannot keep the promise on.
enum class Filling { Even, Uneven };

struct Row {
    const char* method;
    Extents scene;
    Extents templ;
    PixelType type;
    Filling filling = Filling::Even;
};

/// Rises of 0.3 to 4 GiB.
const std::vector<Row>& rows() {
    constexpr PixelType kFloat = PixelType::Float32;
    static const std::vector<Row> table{
        {"direct", {8000, 8000, 1}, {16, 16, 1}, kFloat},
        {"direct", {16000, 16000, 1}, {8, 8, 1}, PixelType::UInt8},
        {"direct", {400, 400, 400}, {6, 6, 6}, PixelType::UInt16},
        {"tiled", {8000, 8000, 1}, {32, 32, 1}, kFloat},
        {"tiled", {16000, 16000, 1}, {64, 64, 1}, kFloat},
        {"tiled", {24000, 24000, 1}, {64, 64, 1}, PixelType::UInt16},
        {"tiled", {8000, 8000, 1}, {1000, 1000, 1}, kFloat},
        {"tiled", {400, 400, 400}, {24, 24, 24}, kFloat},
        {"tiled", {640, 640, 640}, {16, 16, 16}, PixelType::UInt16},
        {"fourier", {4096, 4096, 1}, {1000, 1000, 1}, kFloat},
        {"fourier", {8000, 8000, 1}, {1500, 1500, 1}, kFloat},
        {"fourier", {256, 256, 256}, {64, 64, 64}, kFloat},
        {"fourier", {400, 400, 400}, {100, 100, 100}, PixelType::UInt16},
        {"tiled", {8000, 8000, 1}, {1000, 1000, 1}, kFloat, Filling::Uneven},
        {"tiled", {400, 400, 400}, {24, 24, 24}, kFloat, Filling::Uneven},
        {"fourier", {8000, 8000, 1}, {1500, 1500, 1}, kFloat, Filling::Uneven},
        {"fourier", {256, 256, 256}, {64, 64, 64}, kFloat, Filling::Uneven},
        {"tiled-template", {320, 320, 320}, {48, 48, 48}, kFloat},
        {"tiled-template", {8000, 8000, 1}, {1000, 1000, 1}, kFloat},
        {"tiled-template", {320, 320, 320}, {48, 48, 48}, kFloat, Filling::Uneven},
        {"tiled-template", {8000, 8000, 1}, {1000, 1000, 1}, kFloat, Filling::Uneven},
    };
    return table;
}

base::AnyImage sceneOf(const Row& row) {
    base::AnyImage scene = noise(row.type, row.scene, 1);
    if (row.filling == Filling::Uneven) {
        auto& image = std::get<base::Image<float>>(scene);
        for (std::int64_t i = 0; i < image.count() / 2; ++i) {
            image.data()[i] *= 1e-4F;
        }
    }
    return scene;
}

std::int64_t residentBytes() {
    base::dropKeptBuffers(); // what was freed does not count
    ::malloc_trim(0);
    std::int64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages >> pages; // all, resident
    return pages * ::sysconf(_SC_PAGESIZE);
}

/// What `command` prints; the one answer of a process of its own.
std::string outputOf(const std::string& command) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"),
                                                               &::pclose);
    std::string text;
    std::array<char, 4096> block{};
    while (pipe && std::fgets(block.data(), block.size(), pipe.get()) != nullptr) {
        text += block.data();
    }
    return text;
}

} // namespace

json measureMemoryHere(std::size_t index, int threads) {
    const Row& row = rows().at(index);
    base::TilePool pool(threads);
    const base::AnyImage scene = sceneOf(row);
    const base::AnyImage templ = cut(scene, row.templ);
    const method::MaskedView sceneView(base::viewOf(scene));
    const method::MaskedView templView(base::viewOf(templ));
    const method::Problem problem = problemOf(scene, templ);
    plan::Request request;
    request.planning = plan::Planning::Estimate;
    request.limits.threads = threads;
    request.method = row.method;
    request.knowledge = &machineKnowledge();
    const auto plan = plan::makePlan(problem, request, &sceneView, &templView, nullptr, pool).plan;
    if (!plan) {
        throw std::runtime_error(std::string(row.method) + " was refused");
    }
    method::Session session = plan->session();
    session.warmUp();
    const job::detail::PeakMeter meter;
    method::MatchMap map(method::mapExtents(problem));
    session.prepare({templView}, pool);
    const method::Outcome outcome = session.run(sceneView, {pool, {}, {}}, method::viewOf(map));
    const std::int64_t rise = meter.rise();
    const std::int64_t withBuffers = residentBytes();
    session.giveWorkspace(nullptr);
    const std::int64_t buffers = withBuffers - residentBytes();
    return {{"method", methodText(plan->candidate())},
            {"filling", row.filling == Filling::Even ? "noise" : "uneven noise"},
            {"scene_extents", sizeText(row.scene)},
            {"pixel", base::name(row.type)},
            {"template_extents", sizeText(row.templ)},
            {"map_bytes", base::byteCount(method::mapExtents(problem), kVoxelBytes)},
            {"buffer_bytes", buffers},
            {"predicted_bytes", plan->report().chosen()->prediction->hostBytes},
            {"measured_bytes", rise},
            {"recomputed", outcome.facts.recomputed}};
}

json measureMemory(int threads) {
    std::cout << threads
              << " threads; the rise is that of the highest resident memory over what a run finds: "
                 "scene and template\n\n"
                 "| method | scene | size | type | template | recomputed, % | predicted, MiB | "
                 "measured, MiB | predicted/measured | map and status, MiB | buffers of the "
                 "threads, MiB | the rest, MiB "
                 "|\n|---|---|---|---|---|---:|---:|---:|---:|---:|---:|---:|\n";
    json found = json::array();
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    for (std::size_t index = 0; index < rows().size(); ++index) {
        json row = json::parse(outputOf("'" + self + "' --memory-row " + std::to_string(index) +
                                        " --threads " + std::to_string(threads)));
        const auto mib = [&](const char* key) { return row.at(key).get<double>() / kMiB; };
        const auto text = [&](const char* key) { return row.at(key).get<std::string>(); };
        const double map = mib("map_bytes");
        const double buffers = mib("buffer_bytes");
        const double predicted = mib("predicted_bytes");
        const double measured = mib("measured_bytes");
        const double recomputed = row.at("recomputed").get<double>() / (map * kMiB / kVoxelBytes);
        std::cout << "| " << text("method") << " | " << text("filling") << " | "
                  << text("scene_extents") << " | " << text("pixel") << " | "
                  << text("template_extents") << " | " << fixed(100 * recomputed, 1) << " | "
                  << fixed(predicted, 0) << " | " << fixed(measured, 0) << " | "
                  << fixed(predicted / measured, 3) << " | " << fixed(map, 0) << " | "
                  << fixed(buffers, 1) << " | " << fixed(measured - map - buffers, 1) << " |\n"
                  << std::flush;
        found.push_back(std::move(row));
    }
    return found;
}

} // namespace flcc::bench
