#pragma once

#include <cstdint>
#include <string>

#include "engine/cuda/plugin/engine.h"

namespace flcc::cuda {

/// A point in a stream of a device that the host or another stream can wait for.
class Event {
  public:
    /// **Errors**: those of Engine::require(). This holds for all functions in this file that do
    /// not say that they ignore errors.
    Event(Engine& engine, std::int32_t device) : m_engine(engine), m_device(device) {
        engine.require(engine.table().makeEvent(device, &m_event), device, "making an event");
    }
    ~Event() { (void)m_engine.table().releaseEvent(m_device, m_event); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    void wait(const std::string& what) const {
        m_engine.require(m_engine.table().await(m_device, m_event), m_device, what);
    }
    /// Milliseconds between `earlier` and this event. The host must have waited for both.
    [[nodiscard]] double since(const Event& earlier) const {
        float ms = 0;
        m_engine.require(m_engine.table().elapsed(m_device, earlier.m_event, m_event, &ms),
                         m_device, "reading a time");
        return ms;
    }
    [[nodiscard]] void* handle() const { return m_event; }

  private:
    Engine& m_engine;
    std::int32_t m_device;
    void* m_event = nullptr;
};

/// A stream of a device, never the default stream. Copies and kernels in a stream run in the order
/// in which they are put into it.
class Stream {
  public:
    Stream(Engine& engine, std::int32_t device) : m_engine(engine), m_device(device) {
        engine.require(engine.table().openStream(device, &m_stream), device, "opening a stream");
    }
    ~Stream() { (void)m_engine.table().closeStream(m_device, m_stream); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    void upload(const PluginCopy& copy) const {
        m_engine.require(m_engine.table().upload(m_device, m_stream, &copy), m_device,
                         "copying to the device");
    }
    void download(const PluginCopy& copy) const {
        m_engine.require(m_engine.table().download(m_device, m_stream, &copy), m_device,
                         "copying from the device");
    }
    void direct(const DirectLaunch& launch) const {
        m_engine.require(m_engine.table().direct(m_device, m_stream, &launch), m_device,
                         "starting the direct method");
    }
    void tiled(TiledStep step, const TiledLaunch& launch) const {
        m_engine.require(m_engine.table().tiled(m_device, m_stream, step, &launch), m_device,
                         "starting the kernels of tiles");
    }
    void support(SupportStep step, const SupportLaunch& launch) const {
        m_engine.require(m_engine.table().support(m_device, m_stream, step, &launch), m_device,
                         "starting the kernels of masked tiles");
    }
    void limit(LimitStep step, const LimitLaunch& launch) const {
        m_engine.require(m_engine.table().limit(m_device, m_stream, step, &launch), m_device,
                         "starting a kernel that measures");
    }
    void merge(const MergeLaunch& launch) const {
        m_engine.require(m_engine.table().merge(m_device, m_stream, &launch), m_device,
                         "taking the best scores of templates");
    }
    void reduce(const ReduceLaunch& launch) const {
        m_engine.require(m_engine.table().reduce(m_device, m_stream, &launch), m_device,
                         "starting the reduction of a map");
    }
    void record(const Event& event) const {
        m_engine.require(m_engine.table().record(m_device, m_stream, event.handle()), m_device,
                         "recording an event");
    }
    /// Makes all later work of this stream wait for `event`, which another stream recorded.
    void follow(const Event& event) const {
        m_engine.require(m_engine.table().follow(m_device, m_stream, event.handle()), m_device,
                         "waiting for another stream");
    }
    /// Waits until the stream has no work left. Ignores errors, so that destructors can call it.
    void drain() const { (void)m_engine.table().wait(m_device, m_stream); }
    /// Waits until the stream has no work left. `what` names the work in an error message.
    void wait(const std::string& what) const {
        m_engine.require(m_engine.table().wait(m_device, m_stream), m_device, what);
    }

    [[nodiscard]] Engine& engine() const { return m_engine; }
    [[nodiscard]] std::int32_t device() const { return m_device; }
    [[nodiscard]] void* handle() const { return m_stream; }

  private:
    Engine& m_engine;
    std::int32_t m_device;
    void* m_stream = nullptr;
};

/// Drains a stream when it is destroyed. Declare it after the memory that copies of the stream
/// write: the copies then end before the memory is freed.
struct StreamDrain {
    const Stream& stream;
    ~StreamDrain() { stream.drain(); }
};

/// Where the memory of a buffer is: on the device, or on the host and pinned, so that a device can
/// copy it while the host works.
enum class Place { Device, Host };

/// An array of elements of type T that grows on request.
template <class T, Place kPlace = Place::Device> class DeviceBuffer {
  public:
    DeviceBuffer(Engine& engine, std::int32_t device) : m_engine(engine), m_device(device) {}
    ~DeviceBuffer() { release(); }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;

    /// Returns memory for at least `count` elements. If the buffer has to grow, its contents are
    /// lost.
    T* room(std::int64_t count) {
        if (count > m_count) {
            release();
            const auto bytes = count * static_cast<std::int64_t>(sizeof(T));
            void* memory = nullptr;
            constexpr bool kHost = kPlace == Place::Host;
            const auto take = kHost ? m_engine.table().pin : m_engine.table().allocate;
            m_engine.require(take(m_device, bytes, &memory), m_device,
                             "asking for " + std::to_string(bytes) +
                                 (kHost ? " bytes of pinned memory" : " bytes of its memory"));
            m_memory = static_cast<T*>(memory);
            m_count = count;
        }
        return m_memory;
    }
    /// The pointer that room() returned last; null before the first call.
    [[nodiscard]] T* data() const { return m_memory; }

  private:
    void release() {
        if (m_memory != nullptr) {
            const auto& table = m_engine.table();
            (void)(kPlace == Place::Host ? table.unpin : table.release)(m_device, m_memory);
        }
        m_memory = nullptr;
        m_count = 0;
    }

    Engine& m_engine;
    std::int32_t m_device;
    T* m_memory = nullptr;
    std::int64_t m_count = 0;
};

template <class T> using PinnedBuffer = DeviceBuffer<T, Place::Host>;

/// A plan of a transform that runs in one stream, which must outlive the plan. The caller provides
/// the work area.
class Transform {
  public:
    Transform(const Stream& stream, const TransformShape& shape) : m_stream(stream) {
        stream.engine().require(
            stream.engine().table().makeTransform(stream.device(), &shape, &m_plan, &m_workBytes),
            stream.device(), "planning transforms of " + base::toString(shape.points));
    }
    ~Transform() {
        m_stream.drain();
        (void)m_stream.engine().table().releaseTransform(m_stream.device(), m_plan);
    }
    Transform(const Transform&) = delete;
    Transform& operator=(const Transform&) = delete;

    [[nodiscard]] std::int64_t workBytes() const { return m_workBytes; }

    /// Starts the transform of `data` in place. **Shapes**: `data` as TransformShape; `work` has
    /// workBytes() bytes.
    void operator()(void* data, void* work) const {
        m_stream.engine().require(m_stream.engine().table().transform(
                                      m_stream.device(), m_stream.handle(), m_plan, data, work),
                                  m_stream.device(), "starting a transform");
    }

  private:
    const Stream& m_stream;
    void* m_plan = nullptr;
    std::int64_t m_workBytes = 0;
};

} // namespace flcc::cuda
