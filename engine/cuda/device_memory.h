#pragma once

#include <cstdint>
#include <string>

#include "engine/cuda/engine.h"

namespace flcc::cuda {

/// A place in a stream of a device.
class Event {
  public:
    /// **Errors**: those of Engine::require, as of all below.
    Event(Engine& engine, std::int32_t device) : m_engine(engine), m_device(device) {
        engine.require(engine.table().makeEvent(device, &m_event), device, "making an event");
    }
    ~Event() { (void)m_engine.table().releaseEvent(m_device, m_event); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    void wait(const std::string& what) const {
        m_engine.require(m_engine.table().await(m_device, m_event), m_device, what);
    }
    /// Milliseconds since an earlier one, both waited for.
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

/// A stream of a device. Never the default one.
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
    /// What comes next waits for the event of another stream.
    void follow(const Event& event) const {
        m_engine.require(m_engine.table().follow(m_device, m_stream, event.handle()), m_device,
                         "waiting for another stream");
    }
    /// Waits for all of it, whatever became of it.
    void drain() const { (void)m_engine.table().wait(m_device, m_stream); }
    /// Waits for all of it.
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

/// Waits for a stream when it goes, whatever became of that. Declared after memory that copies of
/// the stream write, so that the memory lives longer.
struct StreamDrain {
    const Stream& stream;
    ~StreamDrain() { stream.drain(); }
};

/// Where a buffer's memory lies: on the device, or on the host, pinned for copies.
enum class Place { Device, Host };

/// Memory for elements of one type, which grows when more is asked for.
template <class T, Place kPlace = Place::Device> class DeviceBuffer {
  public:
    DeviceBuffer(Engine& engine, std::int32_t device) : m_engine(engine), m_device(device) {}
    ~DeviceBuffer() { release(); }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;

    /// Room for `count` elements at least; what was there is lost.
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
    /// What room() gave last.
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

/// A plan of a transform for a stream, which must live as long. Its work area is the caller's.
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

    /// In place on `data`. **Shapes**: as TransformShape; `work` has workBytes().
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
