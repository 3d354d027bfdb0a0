#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "engine/cuda/plugin/device_memory.h"

namespace flcc::cuda {

/// A few small pieces of pinned memory through which copies of any size go: the host fills or
/// empties one piece while the device copies the others. Pinning memory takes longer than computing
/// in it: pinning 0.5 ms a MiB, unpinning 0.2 on the machine of an H100. **Threads**: one at a
/// time.
class Staging {
  public:
    static constexpr std::int64_t kPieces = 3;
    /// Bytes of a piece, which holds at least one row.
    static constexpr std::int64_t kPieceBytes = std::int64_t{1} << 22;

    Staging(Engine& engine, std::int32_t device) : m_engine(engine), m_device(device) {}

    /// Most bytes of pinned memory for copies of `rows` rows of `rowBytes` bytes.
    [[nodiscard]] static std::int64_t bytesFor(std::int64_t rows, std::int64_t rowBytes);

    /// Writes rows [first, first + rows) to `to`.
    using Fill = std::function<void(std::int64_t first, std::int64_t rows, std::byte* to)>;
    /// Starts the copies of `rows` rows that follow each other to `to`; the last of them may still
    /// run when it returns.
    void upload(const Stream& stream, void* to, std::int64_t rows, std::int64_t rowBytes,
                const Fill& fill);

    /// Reads rows [first, first + rows) from `from`.
    using Empty = std::function<void(std::int64_t first, std::int64_t rows, const std::byte* from)>;
    /// Copies `rows` rows that follow each other from `from`.
    void download(const Stream& stream, const void* from, std::int64_t rows, std::int64_t rowBytes,
                  const Empty& empty);

    /// Waits for the copies under way. Returns the milliseconds that the device copied since the
    /// last call.
    [[nodiscard]] double takeMs();

  private:
    struct Piece {
        Piece(Engine& engine, std::int32_t device)
            : memory(engine, device), begin(engine, device), end(engine, device) {}
        PinnedBuffer<std::byte> memory;
        Event begin;
        Event end;
        bool busy = false; ///< a copy was started and not waited for
    };

    /// The next piece in turn, with room for `bytes`. Waits for the copy that used it last.
    Piece& next(std::int64_t bytes);
    void copied(const Stream& stream, Piece& piece, const PluginCopy& copy, bool toDevice);
    void await(Piece& piece);

    Engine& m_engine;
    std::int32_t m_device;
    std::array<std::unique_ptr<Piece>, kPieces> m_pieces;
    std::size_t m_next = 0;
    double m_ms = 0;
};

} // namespace flcc::cuda
