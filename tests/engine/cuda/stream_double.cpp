#include "tests/engine/cuda/stream_double.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <list>
#include <stdexcept>

namespace flcc::test::streams {

namespace {

struct Stream;

struct Event {
    std::int64_t recorded = 0; ///< times
    std::int64_t reached = 0;  ///< of them
    Stream* where = nullptr;
    std::chrono::steady_clock::time_point time;
};

struct Command {
    std::function<void()> run;
    Event* follows = nullptr;
    std::int64_t turn = 0; ///< of the event that is followed
};

struct Stream {
    std::int32_t device = 0;
    std::deque<Command> commands;

    [[nodiscard]] bool mayGoOn() const {
        return !commands.empty() && (commands.front().follows == nullptr ||
                                     commands.front().follows->reached >= commands.front().turn);
    }
    void goOn() {
        const Command next = std::move(commands.front());
        commands.pop_front();
        next.run();
    }
};

std::list<Stream>& allStreams() {
    static std::list<Stream> all;
    return all;
}

/// The first command of a stream, and before it what it follows.
void goOnAlone(Stream& stream) {
    if (stream.commands.empty()) {
        throw std::logic_error("an event is waited for that nothing will reach");
    }
    while (!stream.mayGoOn()) {
        goOnAlone(*stream.commands.front().follows->where);
    }
    stream.goOn();
}

void goAhead(std::int32_t device) {
    for (bool any = true; any;) {
        any = false;
        for (auto stream = allStreams().rbegin(); stream != allStreams().rend(); ++stream) {
            while (stream->device == device && stream->mayGoOn()) {
                stream->goOn();
                any = true;
            }
        }
    }
}

void put(void* to, Order order, Command command) {
    auto& stream = *static_cast<Stream*>(to);
    stream.commands.push_back(std::move(command));
    if (order == Order::AtOnce) {
        awaitStream(to, Order::Late);
    }
}

} // namespace

void* makeStream(std::int32_t device) { return &allStreams().emplace_back(Stream{device, {}}); }

void closeStream(void* stream) {
    awaitStream(stream, Order::Late);
    std::erase_if(allStreams(), [stream](const Stream& one) { return &one == stream; });
}

void* makeEvent() { return new Event; }
void releaseEvent(void* event) { delete static_cast<Event*>(event); }

void enqueue(void* stream, Order order, std::function<void()> command) {
    put(stream, order, {std::move(command)});
}

void record(void* stream, Order order, void* event) {
    auto* const at = static_cast<Event*>(event);
    ++at->recorded;
    at->where = static_cast<Stream*>(stream);
    put(stream, order, {[at] {
            ++at->reached;
            at->time = std::chrono::steady_clock::now();
        }});
}

void follow(void* stream, Order order, void* event) {
    auto* const at = static_cast<Event*>(event);
    put(stream, order, {[] {}, at, at->recorded});
}

void awaitEvent(void* event, Order order) {
    const auto& at = *static_cast<const Event*>(event);
    if (order == Order::Ahead && at.where != nullptr) {
        goAhead(at.where->device);
    }
    while (at.reached < at.recorded) {
        goOnAlone(*at.where);
    }
}

void awaitStream(void* stream, Order order) {
    auto& own = *static_cast<Stream*>(stream);
    if (order == Order::Ahead) {
        goAhead(own.device);
    }
    while (!own.commands.empty()) {
        goOnAlone(own);
    }
}

void awaitDevice(std::int32_t device) {
    for (Stream& stream : allStreams()) {
        if (stream.device == device) {
            awaitStream(&stream, Order::Late);
        }
    }
}

double elapsedMs(void* from, void* to) {
    const auto& begin = *static_cast<const Event*>(from);
    const auto& end = *static_cast<const Event*>(to);
    const auto reached = [](const Event& event) {
        return event.recorded > 0 && event.reached == event.recorded;
    };
    return reached(begin) && reached(end)
               ? std::chrono::duration<double, std::milli>(end.time - begin.time).count()
               : -1;
}

} // namespace flcc::test::streams
