#pragma once

#include <cstdint>
#include <functional>

/// Streams and events of a device that is stood in for. What is put into a stream is done at once,
/// or later, in any order that real streams might take.
namespace flcc::test {

/// When the commands of streams are done.
enum class Order {
    AtOnce, ///< by the call that brings them, as on a device that cannot overlap
    Late,   ///< when the host waits for them, and no other
    Ahead,  ///< when the host waits for anything: the stream made last as far as it may go first
};

namespace streams {

[[nodiscard]] void* makeStream(std::int32_t device);
void closeStream(void* stream);
[[nodiscard]] void* makeEvent();
void releaseEvent(void* event);

/// Puts a command into a stream; `order` holds for all that waits there.
void enqueue(void* stream, Order order, std::function<void()> command);
void record(void* stream, Order order, void* event);
void follow(void* stream, Order order, void* event);

/// Does what the order of that time asks for until the event or the end of the stream is reached.
void awaitEvent(void* event, Order order);
void awaitStream(void* stream, Order order);
/// Does all that waits on a device, as giving memory back does.
void awaitDevice(std::int32_t device);

/// Milliseconds between events; below 0 when one was not reached.
[[nodiscard]] double elapsedMs(void* from, void* to);

} // namespace streams

} // namespace flcc::test
