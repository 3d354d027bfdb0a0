#include "tests/engine/cuda/device_double.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "engine/base/error.h"
#include "engine/cuda/kernels/direct_block.h"
#include "engine/cuda/kernels/merge_block.h"
#include "engine/cuda/kernels/reduce_block.h"
#include "engine/cuda/kernels/support_steps.h"
#include "engine/cuda/kernels/tiled_steps.h"
#include "engine/cuda/plugin/sticky_errors.h"
#include "tests/engine/cuda/transform_double.h"

namespace flcc::test {

namespace {

using cuda::Result;

/// Of all that the devices do and keep.
std::recursive_mutex& deviceLock() {
    static std::recursive_mutex lock;
    return lock;
}

Result made(std::int32_t device, Call call) {
    DeviceDouble& own = deviceDouble();
    const auto kind = static_cast<std::size_t>(call);
    const std::int64_t any = ++own.calls[kind];
    const std::int64_t ofDevice = ++own.callsOf[device][kind];
    if (own.lost[device] != 0) {
        return own.lost[device];
    }
    const std::int64_t turn = own.failing < 0 ? any : ofDevice;
    if (own.turn == 0 || call != own.call || (own.failing >= 0 && own.failing != device) ||
        turn < own.turn || turn >= own.turn + own.turns) {
        return 0;
    }
    own.lost[device] = cuda::isStickyError(own.result) ? own.result : 0;
    return own.result;
}

/// Memory that was taken and not given back, by its first byte.
using Held = std::map<const std::byte*, std::int64_t>;
Held& held() {
    static Held held;
    return held;
}
Held& pinned() {
    static Held held;
    return held;
}

bool isPinned(const void* memory) {
    const auto* const at = static_cast<const std::byte*>(memory);
    auto after = pinned().upper_bound(at);
    return after != pinned().begin() && at < (--after)->first + after->second;
}

/// Memory that holds what nobody wrote: NaN.
void* take(std::int64_t bytes) {
    void* const memory = ::operator new(static_cast<std::size_t>(bytes));
    std::memset(memory, 0xFF, static_cast<std::size_t>(bytes));
    return memory;
}

Result allocate(std::int32_t device, std::int64_t bytes, void** memory) {
    const Result result = made(device, Call::Allocate);
    if (result == 0) {
        DeviceDouble& own = deviceDouble();
        *memory = take(bytes);
        own.memoryBlocks += 1;
        own.memoryBytes += bytes;
        own.mostBytes = std::max(own.mostBytes, own.memoryBytes);
        held()[static_cast<std::byte*>(*memory)] = bytes;
    }
    return result;
}

Result release(std::int32_t device, void* memory) {
    deviceDouble().releasedBusy += deviceDouble().waiting > 0 ? 1 : 0;
    streams::awaitDevice(device);
    deviceDouble().memoryBlocks -= 1;
    deviceDouble().memoryBytes -= held().extract(static_cast<std::byte*>(memory)).mapped();
    ::operator delete(memory);
    return 0;
}

Result pin(std::int32_t device, std::int64_t bytes, void** memory) {
    const Result result = made(device, Call::Pin);
    if (result == 0) {
        DeviceDouble& own = deviceDouble();
        *memory = take(bytes);
        own.pinnedBlocks += 1;
        own.pinnedBytes += bytes;
        own.mostPinned = std::max(own.mostPinned, own.pinnedBytes);
        pinned()[static_cast<std::byte*>(*memory)] = bytes;
    }
    return result;
}

Result unpin(std::int32_t device, void* memory) {
    streams::awaitDevice(device);
    deviceDouble().pinnedBlocks -= 1;
    deviceDouble().pinnedBytes -= pinned().extract(static_cast<std::byte*>(memory)).mapped();
    ::operator delete(memory);
    return 0;
}

/// Puts what a device does into a stream.
template <class Do> void put(void* stream, Do&& todo) {
    streams::enqueue(stream, deviceDouble().order, std::forward<Do>(todo));
}

Result describe(std::int32_t device, cuda::PluginDevice* to) {
    if (deviceDouble().describes != 0) {
        return deviceDouble().describes;
    }
    *to = deviceDouble().about;
    if (deviceDouble().unlike) {
        deviceDouble().unlike(device, *to);
    }
    const std::string name = "Double " + std::to_string(device);
    std::memcpy(to->name, name.c_str(), name.size() + 1);
    return 0;
}

Result copy(std::int32_t device, Call call, void* stream, const cuda::PluginCopy& copy) {
    if (const Result result = made(device, call); result != 0) {
        return result;
    }
    deviceDouble().loose += isPinned(call == Call::Upload ? copy.from : copy.to) ? 0 : 1;
    put(stream, [copy] {
        for (std::int64_t row = 0; row < copy.rows; ++row) {
            std::memcpy(static_cast<std::byte*>(copy.to) + row * copy.toPitch,
                        static_cast<const std::byte*>(copy.from) + row * copy.fromPitch,
                        static_cast<std::size_t>(copy.rowBytes));
        }
    });
    return 0;
}

/// Calls `run` with `count` numbers, in their order or backwards.
template <class Run> void inTurn(std::int64_t count, Run&& run) {
    for (std::int64_t turn = 0; turn < count; ++turn) {
        run(deviceDouble().backwards ? count - 1 - turn : turn);
    }
}

/// One thread after the other, a phase at a time.
template <class Thread> struct InTurn {
    std::array<Thread, cuda::shared::kBlockThreads>& threads;

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

/// Makes every score and what blocks tell of their bounds wrong, where that was asked for.
void addWrong(const cuda::PartLaunch& launch) {
    const base::Extents grid = cuda::shared::blockGrid(launch.map);
    for (std::int64_t i = 0; i < cuda::countOf(grid) && deviceDouble().reported > 0; ++i) {
        launch.tallies[i].largestBound = deviceDouble().reported;
    }
    for (std::int64_t i = 0; i < cuda::countOf(launch.map) && deviceDouble().wrong != 0; ++i) {
        const float wrong = launch.status[i] == 0 ? deviceDouble().wrong : 0.0F;
        launch.value[i] += wrong;
        if (launch.exact != nullptr) {
            launch.exact[i] += static_cast<double>(wrong);
        }
    }
}

/// Puts kernels into a stream, counted while they wait there.
template <class Do> void putKernels(void* stream, Do&& todo) {
    DeviceDouble& own = deviceDouble();
    own.mostWaiting = std::max(own.mostWaiting, ++own.waiting);
    put(stream, [todo] {
        todo();
        --deviceDouble().waiting;
    });
}

void runDirect(const cuda::DirectLaunch* launch) {
    const base::Extents grid = cuda::shared::blockGrid(launch->map);
    const auto run = [&]<class Block>(Block) {
        using Thread = typename Block::Thread;
        const auto memory = std::make_unique<typename Block::Shared>();
        for (std::int64_t block = 0; block < grid.x * grid.y * grid.z; ++block) {
            spoil(*memory);
            std::array<Thread, cuda::shared::kBlockThreads> threads{};
            Block::run(*launch, block, *memory, InTurn<Thread>{threads});
        }
    };
    cuda::withDirectBlock(*launch, run);
    addWrong(*launch);
}

Result direct(std::int32_t device, void* stream, const cuda::DirectLaunch* launch) {
    const Result result = made(device, Call::Direct);
    deviceDouble().sumsTaken += launch->known ? 0 : 1;
    if (result == 0) {
        putKernels(stream, [launch = *launch] { runDirect(&launch); });
    }
    return result;
}

/// Calls `run(blocks, items)` with what does the parts of a step.
template <class Launch, class Run> void doParts(const Launch& launch, Run&& run) {
    run(
        [&]<class Part>(std::int64_t count, Part) {
            const auto memory = std::make_unique<typename cuda::SharedOf<Part>::Type>();
            inTurn(count, [&](std::int64_t block) {
                spoil(*memory);
                Part::run(launch, block, *memory, InTurnAlone{});
            });
        },
        [&]<class Part>(std::int64_t count, Part) {
            inTurn(count, [&](std::int64_t item) { Part::run(launch, item); });
        });
}

void runTiled(cuda::TiledStep step, const cuda::TiledLaunch* launch) {
    doParts(*launch,
            [&](auto&& blocks, auto&& items) { cuda::runStep(step, *launch, blocks, items); });
    if (step == cuda::TiledStep::Score) {
        addWrong(*launch);
    }
}

Result tiled(std::int32_t device, void* stream, cuda::TiledStep step,
             const cuda::TiledLaunch* launch) {
    const Result result = made(device, Call::Tiled);
    if (result == 0) {
        putKernels(stream, [step, launch = *launch] { runTiled(step, &launch); });
    }
    return result;
}

void runSupport(cuda::SupportStep step, const cuda::SupportLaunch* launch) {
    doParts(*launch, [&](auto&& blocks, auto&& items) {
        cuda::runSupportStep(step, *launch, blocks, items);
    });
    if (step == cuda::SupportStep::Score) {
        addWrong(*launch);
    }
}

Result support(std::int32_t device, void* stream, cuda::SupportStep step,
               const cuda::SupportLaunch* launch) {
    const Result result = made(device, Call::Support);
    if (result == 0) {
        putKernels(stream, [step, launch = *launch] { runSupport(step, &launch); });
    }
    return result;
}

Result limit(std::int32_t device, void* stream, cuda::LimitStep step,
             const cuda::LimitLaunch* launch) {
    const Result result = made(device, Call::Limit);
    if (result == 0) {
        putKernels(stream, [step, launch = *launch] {
            for (std::int64_t thread = 0; thread < launch.threads(); ++thread) {
                cuda::LimitThread::run(step, launch, thread);
            }
        });
    }
    return result;
}

Result merge(std::int32_t device, void* stream, const cuda::MergeLaunch* launch) {
    const Result result = made(device, Call::Merge);
    if (result == 0) {
        putKernels(stream, [launch = *launch] {
            doParts(launch, [&](auto&& blocks, auto&&) { cuda::runMerge(launch, blocks); });
        });
    }
    return result;
}

Result reduce(std::int32_t device, void* stream, const cuda::ReduceLaunch* launch) {
    const Result result = made(device, Call::Reduce);
    if (result == 0) {
        putKernels(stream, [launch = *launch] {
            doParts(launch, [&](auto&& blocks, auto&&) { cuda::runReduce(launch, blocks); });
        });
    }
    return result;
}

Result makeTransform(std::int32_t device, const cuda::TransformShape* shape, void** plan,
                     std::int64_t* workBytes) {
    const Result result = made(device, Call::MakeTransform);
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

Result transform(std::int32_t device, void* stream, void* plan, void* data, void* work) {
    const Result result = made(device, Call::Transform);
    if (result == 0) {
        put(stream, [=] { static_cast<const TransformDouble*>(plan)->run(data, work); });
    }
    return result;
}

/// The result of a call of a kind, after which, where it is 0, `then` is done.
template <class Then> Result afterCall(std::int32_t device, Call call, Then&& then) {
    const Result result = made(device, call);
    if (result == 0) {
        then();
    }
    return result;
}

Result openStream(std::int32_t device, void** stream) {
    return afterCall(device, Call::OpenStream, [&] {
        ++deviceDouble().streams;
        *stream = streams::makeStream(device);
    });
}

Result closeStream(std::int32_t, void* stream) {
    if (stream != nullptr) { // which was opened
        streams::closeStream(stream);
        --deviceDouble().streams;
    }
    return 0;
}

/// What is under way ends whatever becomes of the call.
Result wait(std::int32_t device, void* stream) {
    streams::awaitStream(stream, deviceDouble().order);
    return made(device, Call::Wait);
}

Result makeEvent(std::int32_t device, void** event) {
    return afterCall(device, Call::MakeEvent, [&] {
        ++deviceDouble().events;
        *event = streams::makeEvent();
    });
}

Result releaseEvent(std::int32_t, void* event) {
    streams::releaseEvent(event);
    --deviceDouble().events;
    return 0;
}

Result record(std::int32_t device, void* stream, void* event) {
    return afterCall(device, Call::Record,
                     [&] { streams::record(stream, deviceDouble().order, event); });
}

Result follow(std::int32_t device, void* stream, void* event) {
    return afterCall(device, Call::Follow,
                     [&] { streams::follow(stream, deviceDouble().order, event); });
}

Result await(std::int32_t device, void* event) {
    return afterCall(device, Call::Await,
                     [&] { streams::awaitEvent(event, deviceDouble().order); });
}

Result elapsed(std::int32_t device, void* from, void* to, float* milliseconds) {
    return afterCall(device, Call::Elapsed, [&] {
        const double ms = streams::elapsedMs(from, to);
        *milliseconds = static_cast<float>(ms >= 0 ? ms : std::nan(""));
    });
}

Result upload(std::int32_t device, void* stream, const cuda::PluginCopy* what) {
    return copy(device, Call::Upload, stream, *what);
}

Result download(std::int32_t device, void* stream, const cuda::PluginCopy* what) {
    return copy(device, Call::Download, stream, *what);
}

/// Whether a call starts the first kernel of a part.
template <class... Values> bool startsPart(Values...) { return false; }
template <> bool startsPart(void*, const cuda::DirectLaunch*) { return true; }
template <> bool startsPart(void*, cuda::TiledStep step, const cuda::TiledLaunch*) {
    return step == cuda::TiledStep::Load;
}

/// A function of the table, one call at a time.
template <auto kFunction> struct Alone;
template <class... Values, Result (*kFunction)(std::int32_t, Values...)> struct Alone<kFunction> {
    static Result call(std::int32_t device, Values... values) {
        if (startsPart(values...) && deviceDouble().starting) {
            deviceDouble().starting(device);
        }
        const std::lock_guard lock(deviceLock());
        return kFunction(device, values...);
    }
};

} // namespace

DeviceDouble& deviceDouble() {
    static DeviceDouble own = [] {
        DeviceDouble sound;
        sound.reset();
        return sound;
    }();
    return own;
}

void failAt(Call call, std::int64_t turn, Result result, std::int64_t turns) {
    const std::lock_guard lock(deviceLock());
    DeviceDouble& own = deviceDouble();
    own.call = call;
    own.turn = own.calls[static_cast<std::size_t>(call)] + turn;
    own.turns = turns;
    own.result = result;
}

void DeviceDouble::reset() {
    *this = {};
    about.memoryBytes = std::int64_t{8} << 30;
    about.major = 9;
    about.processors = 4;
    about.gigahertz = 1;
    about.copyEngines = 2;
    about.hasCode = true;
    about.oldestCode = 75;
    about.startMs = 0.1; // tests take small problems to it
}

void DeviceDouble::resetFast() {
    reset();
    about.processors = 10000;
}

CallFailures failEach(Call call, const std::function<void()>& pose,
                      const std::function<std::string()>& run) {
    DeviceDouble& device = deviceDouble();
    CallFailures found;
    for (std::int64_t turn = 1; found.fault.empty(); ++turn) {
        pose();
        failAt(call, turn, DeviceDouble::kInvalidValue);
        bool threw = false;
        try {
            found.fault = run();
        } catch (const base::Error& error) {
            threw = true;
            found.fault = error.code() == base::ErrorCode::Device ? "" : error.what();
        }
        if (device.memoryBlocks + device.pinnedBlocks + device.waiting + device.streams +
                device.events !=
            0) {
            found.fault += "; something is left behind";
        }
        if (device.calls[static_cast<std::size_t>(call)] < turn) {
            break;
        }
        found.errors += threw ? 1 : 0;
        if (!threw && call != Call::Wait) {
            found.fault += "; a call failed and nobody was told";
        }
    }
    return found;
}

const cuda::PluginTable& doubleTable() {
    static const cuda::PluginTable table = [] {
        cuda::PluginTable made;
        made.start = [] { return deviceDouble().start; };
        made.describe = Alone<describe>::call;
        made.freeMemory = [](std::int32_t, std::int64_t* bytes) -> Result {
            ++deviceDouble().memoryAsked;
            *bytes = deviceDouble().freeBytes;
            return 0;
        };
        made.openStream = Alone<openStream>::call;
        made.closeStream = Alone<closeStream>::call;
        made.allocate = Alone<allocate>::call;
        made.release = Alone<release>::call;
        made.pin = Alone<pin>::call;
        made.unpin = Alone<unpin>::call;
        made.upload = Alone<upload>::call;
        made.download = Alone<download>::call;
        made.direct = Alone<direct>::call;
        made.makeTransform = Alone<makeTransform>::call;
        made.releaseTransform = Alone<releaseTransform>::call;
        made.transform = Alone<transform>::call;
        made.tiled = Alone<tiled>::call;
        made.support = Alone<support>::call;
        made.limit = Alone<limit>::call;
        made.merge = Alone<merge>::call;
        made.reduce = Alone<reduce>::call;
        made.wait = Alone<wait>::call;
        made.makeEvent = Alone<makeEvent>::call;
        made.releaseEvent = Alone<releaseEvent>::call;
        made.record = Alone<record>::call;
        made.follow = Alone<follow>::call;
        made.await = Alone<await>::call;
        made.elapsed = Alone<elapsed>::call;
        made.describeError = [](Result result) -> const char* {
            return result == cuda::kOutOfMemory              ? "out of memory"
                   : result == DeviceDouble::kIllegalAddress ? "an illegal memory access"
                   : result == DeviceDouble::kNoPlan         ? "cuFFT: internal error"
                                                             : "invalid argument";
        };
        made.isSticky = [](Result result) { return cuda::isStickyError(result); };
        return made;
    }();
    return table;
}

} // namespace flcc::test
