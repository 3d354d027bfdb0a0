#include <algorithm>
#include <fstream>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/tile_pool.h"
#include "engine/cpu/methods/methods.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/cuda/plugin/engine.h"
#include "engine/plan/planner.h"

namespace flcc::plan {

namespace {

/// The value of the first line "key ... : value" in a file; empty if there is none.
std::string fieldOf(const char* path, const std::string& key) {
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
        const std::size_t colon = line.find(':');
        if (line.rfind(key, 0) == 0 && colon != std::string::npos) {
            const std::size_t start = line.find_first_not_of(" \t", colon + 1);
            return start == std::string::npos ? std::string() : line.substr(start);
        }
    }
    return {};
}

std::int64_t kibibytes(const std::string& text) {
    try {
        return std::stoll(text) * 1024;
    } catch (const std::exception&) {
        return 0;
    }
}

} // namespace

std::vector<Device> devices(DeviceDetail detail) {
    Device cpu;
    cpu.id = method::kProcessor;
    cpu.name = fieldOf("/proc/cpuinfo", "model name");
    if (cpu.name.empty()) {
        cpu.name = "CPU";
    }
    cpu.memoryTotal = kibibytes(fieldOf("/proc/meminfo", "MemTotal"));
    cpu.memoryFree = kibibytes(fieldOf("/proc/meminfo", "MemAvailable"));
    cpu.threads = base::availableThreads();
    cpu.instructions = flcc::cpu::simd::instructionSets().front();
    cpu.usable = true;
    std::vector<Device> all{cpu};

    const cuda::Engine& engine = cuda::Engine::ofProcess();
    for (const cuda::DeviceFacts& facts : engine.devices()) {
        Device gpu;
        gpu.id = facts.id();
        gpu.name = facts.name();
        gpu.memoryTotal = facts.about.memoryBytes;
        gpu.reason = engine.reasonAgainst(facts.number);
        gpu.usable = gpu.reason.empty();
        if (facts.about.major > 0) { // 0: the driver does not answer for this GPU
            gpu.instructions = "compute capability " + std::to_string(facts.about.major) + "." +
                               std::to_string(facts.about.minor);
        }
        gpu.peakMultiplyAdds = facts.peakMultiplyAdds();
        if (detail == DeviceDetail::Memory) {
            gpu.memoryFree = engine.freeMemory(facts.number);
        }
        all.push_back(std::move(gpu));
    }
    if (engine.devices().empty()) {
        Device none;
        none.id = "cuda";
        none.name = "CUDA";
        none.reason = engine.reason();
        all.push_back(std::move(none));
    }
    return all;
}

bool isDeviceName(std::string_view text) {
    constexpr std::string_view kPrefix = "cuda:";
    constexpr std::size_t kMostDigits = 4;
    if (!text.starts_with(kPrefix)) {
        return text == "auto" || text == method::kProcessor || text == "cuda";
    }
    const std::string_view number = text.substr(kPrefix.size());
    return !number.empty() && number.size() <= kMostDigits &&
           std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string> instructionSets() { return cpu::simd::instructionSets(); }

InstructionSetLimit::InstructionSetLimit(const std::string& name) {
    const std::vector<std::string> known = instructionSets();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
        throw base::Error(base::ErrorCode::CommandLine,
                          "this machine has no instruction set " + name);
    }
    cpu::simd::forceInstructionSet(name);
}

InstructionSetLimit::~InstructionSetLimit() { cpu::simd::forceInstructionSet({}); }

std::vector<std::pair<std::string, std::string>> libraryVersions() {
    auto versions = cpu::libraryVersions();
    if (std::string cuda = cuda::Engine::ofProcess().versions(); !cuda.empty()) {
        versions.emplace_back("cuda", std::move(cuda));
    }
    return versions;
}

} // namespace flcc::plan
