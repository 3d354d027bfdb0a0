#include "engine/cuda/run/staging.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace flcc::cuda {

namespace {

/// How rows are shared out to pieces.
struct Pieces {
    Pieces(std::int64_t rows, std::int64_t rowBytes)
        : rowsOfEach(
              std::clamp<std::int64_t>(Staging::kPieceBytes / std::max<std::int64_t>(1, rowBytes),
                                       1, std::max<std::int64_t>(1, rows))),
          bytes(rowsOfEach * rowBytes) {}

    std::int64_t rowsOfEach;
    std::int64_t bytes; ///< of a piece
};

} // namespace

std::int64_t Staging::bytesFor(std::int64_t rows, std::int64_t rowBytes) {
    return kPieces * Pieces(rows, rowBytes).bytes;
}

Staging::Piece& Staging::next(std::int64_t bytes) {
    std::unique_ptr<Piece>& own = m_pieces[m_next];
    if (!own) {
        own = std::make_unique<Piece>(m_engine, m_device);
    }
    await(*own);
    (void)own->memory.room(bytes);
    m_next = (m_next + 1) % m_pieces.size();
    return *own;
}

void Staging::await(Piece& piece) {
    if (std::exchange(piece.busy, false)) {
        piece.end.wait("copying between host and device");
        m_ms += piece.end.since(piece.begin);
    }
}

void Staging::copied(const Stream& stream, Piece& piece, const PluginCopy& copy, bool toDevice) {
    stream.record(piece.begin);
    toDevice ? stream.upload(copy) : stream.download(copy);
    stream.record(piece.end);
    piece.busy = true;
}

void Staging::upload(const Stream& stream, void* to, std::int64_t rows, std::int64_t rowBytes,
                     const Fill& fill) {
    const Pieces pieces(rows, rowBytes);
    for (std::int64_t first = 0; first < rows; first += pieces.rowsOfEach) {
        Piece& piece = next(pieces.bytes);
        std::byte* const from = piece.memory.data();
        const std::int64_t count = std::min(pieces.rowsOfEach, rows - first);
        const std::int64_t bytes = count * rowBytes;
        fill(first, count, from);
        copied(stream, piece,
               {static_cast<std::byte*>(to) + first * rowBytes, bytes, from, bytes, bytes, 1},
               true);
    }
}

void Staging::download(const Stream& stream, const void* from, std::int64_t rows,
                       std::int64_t rowBytes, const Empty& empty) {
    const Pieces pieces(rows, rowBytes);
    struct Started {
        Piece& piece;
        std::int64_t first;
        std::int64_t count;
    };
    std::deque<Started> started;
    for (std::int64_t first = 0; first < rows || !started.empty();) {
        if (first < rows && std::ssize(started) < kPieces) {
            Piece& piece = next(pieces.bytes);
            std::byte* const to = piece.memory.data();
            const std::int64_t count = std::min(pieces.rowsOfEach, rows - first);
            const std::int64_t bytes = count * rowBytes;
            copied(stream, piece,
                   {to, bytes, static_cast<const std::byte*>(from) + first * rowBytes, bytes, bytes,
                    1},
                   false);
            started.push_back({piece, first, count});
            first += count;
        } else {
            const Started oldest = started.front();
            started.pop_front();
            await(oldest.piece);
            empty(oldest.first, oldest.count, oldest.piece.memory.data());
        }
    }
}

double Staging::takeMs() {
    for (const std::unique_ptr<Piece>& own : m_pieces) {
        if (own) {
            await(*own);
        }
    }
    return std::exchange(m_ms, 0);
}

} // namespace flcc::cuda
