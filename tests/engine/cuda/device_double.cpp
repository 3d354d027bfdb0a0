#include "tests/engine/cuda/device_double.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <new>

#include "engine/cuda/direct_block.h"
#include "engine/cuda/support_steps.h"
#include "engine/cuda/tiled_steps.h"
#include "tests/engine/cuda/transform_double.h"

namespace flcc::test {

namespace {

using cuda::Result;

Result made(Call call) {
    DeviceDouble& own = deviceDouble();
    const std::int64_t turn = ++own.calls[static_cast<std::size_t>(call)];
    if (own.lost != 0) {
        return own.lost;
    }
    if (own.turn == 0 || call != own.call || turn < own.turn || turn >= own.turn + own.turns) {
        return 0;
    }
    own.lost = own.result == DeviceDouble::kIllegalAddress ? own.result : 0;
    return own.result;
}

/// Counts memory that was taken, or with `bytes` 0 given back.
void count(void* memory, std::int64_t bytes) {
    static std::map<void*, std::int64_t> held;
    DeviceDouble& own = deviceDouble();
    own.memoryBlocks += bytes > 0 ? 1 : -1;
    own.memoryBytes += bytes > 0 ? bytes : -held[memory];
    own.mostBytes = std::max(own.mostBytes, own.memoryBytes);
    held[memory] = bytes;
}

Result describe(std::int32_t device, cuda::PluginDevice* to) {
    *to = deviceDouble().about;
    const std::string name = "Double " + std::to_string(device);
    std::memcpy(to->name, name.c_str(), name.size() + 1);
    return 0;
}

Result copy(Call call, const cuda::PluginCopy& copy) {
    if (const Result result = made(call); result != 0) {
        return result;
    }
    for (std::int64_t row = 0; row < copy.rows; ++row) {
        std::memcpy(static_cast<std::byte*>(copy.to) + row * copy.toPitch,
                    static_cast<const std::byte*>(copy.from) + row * copy.fromPitch,
                    static_cast<std::size_t>(copy.rowBytes));
    }
    return 0;
}

/// Calls `run` with `count` numbers, in their order or backwards.
template <class Run> void inTurn(std::int64_t count, Run&& run) {
    for (std::int64_t turn = 0; turn < count; ++turn) {
        run(deviceDouble().backwards ? count - 1 - turn : turn);
    }
}

/// One thread after the other, a phase at a time.
struct InTurn {
    std::array<cuda::DirectThread, cuda::shared::kBlockThreads>& threads;

    template <class Phase> void operator()(Phase&& phase) const {
        inTurn(cuda::shared::kBlockThreads, [&](std::int64_t thread) {
            phase(static_cast<int>(thread), threads[static_cast<std::size_t>(thread)]);
        });
    }
};
struct InTurnAlone {
    template <class Phase> void operator()(Phase&& phase) const {
        inTurn(cuda::shared::kBlockThreads,
               [&](std::int64_t thread) { phase(static_cast<int>(thread)); });
    }
};

/// What memory may hold before it is written: NaN.
template <class Memory> void spoil(Memory& memory) {
    std::memset(static_cast<void*>(&memory), 0xFF, sizeof(memory));
}

/// Makes every score wrong, where that was asked for.
void addWrong(const cuda::PartLaunch& launch) {
    for (std::int64_t i = 0; i < cuda::countOf(launch.map) && deviceDouble().wrong != 0; ++i) {
        const float wrong = launch.status[i] == 0 ? deviceDouble().wrong : 0.0F;
        launch.value[i] += wrong;
        if (launch.exact != nullptr) {
            launch.exact[i] += static_cast<double>(wrong);
        }
    }
}

Result direct(std::int32_t, void*, const cuda::DirectLaunch* launch) {
    if (const Result result = made(Call::Direct); result != 0) {
        return result;
    }
    const base::Extents grid = cuda::shared::blockGrid(launch->map);
    cuda::withDirectBlock(*launch, [&]<class Block>(Block) {
        const auto memory = std::make_unique<typename Block::Shared>();
        for (std::int64_t block = 0; block < grid.x * grid.y * grid.z; ++block) {
            spoil(*memory);
            std::array<cuda::DirectThread, cuda::shared::kBlockThreads> threads{};
            Block::run(*launch, block, *memory, InTurn{threads});
        }
    });
    addWrong(*launch);
    return 0;
}

/// Calls `run(blocks, items)` with what does the parts of a step.
template <class Launch, class Run> void doParts(const Launch& launch, Run&& run) {
    run(
        [&]<class Part>(std::int64_t count, Part) {
            const auto memory = std::make_unique<cuda::TiledShared>();
            inTurn(count, [&](std::int64_t block) {
                spoil(*memory);
                Part::run(launch, block, *memory, InTurnAlone{});
            });
        },
        [&]<class Part>(std::int64_t count, Part) {
            inTurn(count, [&](std::int64_t item) { Part::run(launch, item); });
        });
}

Result tiled(std::int32_t, void*, cuda::TiledStep step, const cuda::TiledLaunch* launch) {
    if (const Result result = made(Call::Tiled); result != 0) {
        return result;
    }
    doParts(*launch,
            [&](auto&& blocks, auto&& items) { cuda::runStep(step, *launch, blocks, items); });
    if (step == cuda::TiledStep::Score) {
        addWrong(*launch);
    }
    return 0;
}

Result support(std::int32_t, void*, cuda::SupportStep step, const cuda::SupportLaunch* launch) {
    if (const Result result = made(Call::Support); result != 0) {
        return result;
    }
    doParts(*launch, [&](auto&& blocks, auto&& items) {
        cuda::runSupportStep(step, *launch, blocks, items);
    });
    if (step == cuda::SupportStep::Score) {
        addWrong(*launch);
    }
    return 0;
}

Result makeTransform(std::int32_t, const cuda::TransformShape* shape, void** plan,
                     std::int64_t* workBytes) {
    const Result result = made(Call::MakeTransform);
    if (result == 0) {
        auto transform = TransformDouble::of(*shape);
        *workBytes = transform->workBytes();
        *plan = transform.release();
        ++deviceDouble().transforms;
    }
    return result;
}

Result releaseTransform(std::int32_t, void* plan) {
    delete static_cast<TransformDouble*>(plan);
    --deviceDouble().transforms;
    return 0;
}

Result transform(std::int32_t, void*, void* plan, void* data, void* work) {
    const Result result = made(Call::Transform);
    if (result == 0) {
        static_cast<const TransformDouble*>(plan)->run(data, work);
    }
    return result;
}

} // namespace

DeviceDouble& deviceDouble() {
    static DeviceDouble own = [] {
        DeviceDouble sound;
        sound.reset();
        return sound;
    }();
    return own;
}

void DeviceDouble::reset() {
    *this = {};
    about.memoryBytes = std::int64_t{8} << 30;
    about.major = 9;
    about.processors = 4;
    about.gigahertz = 1;
    about.hasCode = true;
}

const cuda::PluginTable& doubleTable() {
    static const cuda::PluginTable table = [] {
        cuda::PluginTable made;
        made.start = [] { return deviceDouble().start; };
        made.describe = describe;
        made.freeMemory = [](std::int32_t, std::int64_t* bytes) -> Result {
            *bytes = deviceDouble().freeBytes;
            return 0;
        };
        made.openStream = [](std::int32_t, void** stream) -> Result {
            const Result result = test::made(Call::OpenStream);
            deviceDouble().streams += result == 0 ? 1 : 0;
            *stream = result == 0 ? &deviceDouble() : nullptr;
            return result;
        };
        made.closeStream = [](std::int32_t, void*) -> Result {
            --deviceDouble().streams;
            return 0;
        };
        made.allocate = [](std::int32_t, std::int64_t bytes, void** memory) -> Result {
            const Result result = test::made(Call::Allocate);
            if (result == 0) {
                *memory = ::operator new(static_cast<std::size_t>(bytes));
                std::memset(*memory, 0xFF, static_cast<std::size_t>(bytes));
                count(*memory, bytes);
            }
            return result;
        };
        made.release = [](std::int32_t, void* memory) -> Result {
            count(memory, 0);
            ::operator delete(memory);
            return 0;
        };
        made.upload = [](std::int32_t, void*, const cuda::PluginCopy* what) {
            return copy(Call::Upload, *what);
        };
        made.download = [](std::int32_t, void*, const cuda::PluginCopy* what) {
            return copy(Call::Download, *what);
        };
        made.direct = direct;
        made.makeTransform = makeTransform;
        made.releaseTransform = releaseTransform;
        made.transform = transform;
        made.tiled = tiled;
        made.support = support;
        made.wait = [](std::int32_t, void*) { return test::made(Call::Wait); };
        made.describeError = [](Result result) -> const char* {
            return result == cuda::kOutOfMemory              ? "out of memory"
                   : result == DeviceDouble::kIllegalAddress ? "an illegal memory access"
                   : result == DeviceDouble::kNoPlan         ? "cuFFT: internal error"
                                                             : "invalid argument";
        };
        made.isSticky = [](Result result) { return result == DeviceDouble::kIllegalAddress; };
        return made;
    }();
    return table;
}

} // namespace flcc::test
