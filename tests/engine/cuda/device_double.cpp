#include "tests/engine/cuda/device_double.h"

#include <array>
#include <cstring>
#include <memory>
#include <new>

#include "engine/cuda/direct_block.h"

namespace flcc::test {

namespace {

using cuda::Result;

Result made(Call call) {
    DeviceDouble& own = deviceDouble();
    const std::int64_t turn = ++own.calls[static_cast<std::size_t>(call)];
    if (own.lost != 0) {
        return own.lost;
    }
    if (own.turn == 0 || call != own.call || turn != own.turn) {
        return 0;
    }
    own.lost = own.result == DeviceDouble::kIllegalAddress ? own.result : 0;
    return own.result;
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

/// One thread after the other, a phase at a time.
struct InTurn {
    std::array<cuda::DirectThread, cuda::shared::kBlockThreads>& threads;

    template <class Phase> void operator()(Phase&& phase) const {
        for (int turn = 0; turn < cuda::shared::kBlockThreads; ++turn) {
            const int thread =
                deviceDouble().backwards ? cuda::shared::kBlockThreads - 1 - turn : turn;
            phase(thread, threads[static_cast<std::size_t>(thread)]);
        }
    }
};

/// What the memory of a block may hold before it is written: NaN.
void spoil(cuda::DirectShared& memory) {
    std::memset(static_cast<void*>(&memory), 0xFF, sizeof(memory));
}

Result direct(std::int32_t, void*, const cuda::DirectLaunch* launch) {
    if (const Result result = made(Call::Direct); result != 0) {
        return result;
    }
    const base::Extents grid = cuda::shared::blockGrid(launch->map);
    const auto memory = std::make_unique<cuda::DirectShared>();
    cuda::withDirectBlock(*launch, [&]<class Block>(Block) {
        for (std::int64_t block = 0; block < grid.x * grid.y * grid.z; ++block) {
            spoil(*memory);
            std::array<cuda::DirectThread, cuda::shared::kBlockThreads> threads{};
            Block::run(*launch, block, *memory, InTurn{threads});
        }
    });
    for (std::int64_t i = 0; i < launch->map.x * launch->map.y * launch->map.z; ++i) {
        launch->value[i] += launch->status[i] == 0 ? deviceDouble().wrong : 0.0F;
    }
    return 0;
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
                ++deviceDouble().memoryBlocks;
            }
            return result;
        };
        made.release = [](std::int32_t, void* memory) -> Result {
            ::operator delete(memory);
            --deviceDouble().memoryBlocks;
            return 0;
        };
        made.upload = [](std::int32_t, void*, const cuda::PluginCopy* what) {
            return copy(Call::Upload, *what);
        };
        made.download = [](std::int32_t, void*, const cuda::PluginCopy* what) {
            return copy(Call::Download, *what);
        };
        made.direct = direct;
        made.wait = [](std::int32_t, void*) { return test::made(Call::Wait); };
        made.describeError = [](Result result) -> const char* {
            return result == cuda::kOutOfMemory              ? "out of memory"
                   : result == DeviceDouble::kIllegalAddress ? "an illegal memory access"
                                                             : "invalid argument";
        };
        made.isSticky = [](Result result) { return result == DeviceDouble::kIllegalAddress; };
        return made;
    }();
    return table;
}

} // namespace flcc::test
