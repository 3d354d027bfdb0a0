#include "engine/io/format/value_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "engine/io/format/half.h"

namespace flcc::io::detail {

namespace {

constexpr std::int64_t kBlockValues = 1 << 16;

} // namespace

ValueReader::ValueReader(RawLayout layout, base::PixelType pixel, std::int64_t values,
                         ReadFiles* files, std::stop_token stop)
    : m_layout(std::move(layout)), m_parts(partsOf(m_layout)), m_pixel(pixel), m_files(files),
      m_stop(std::move(stop)), m_width(base::bytesPerVoxel(pixel)),
      m_perPart(values / static_cast<std::int64_t>(m_parts.size())) {}

void ValueReader::read(std::int64_t first, void* target, std::int64_t count) {
    auto* out = static_cast<char*>(target);
    while (count > 0) {
        const auto part = static_cast<std::size_t>(first / m_perPart);
        if (part != m_part) {
            finish();
            m_source.reset();
            m_part = part;
        }
        const std::int64_t inside = first % m_perPart;
        const std::int64_t taken = std::min(count, m_perPart - inside);
        readPart(inside, out, taken);
        first += taken;
        out += taken * m_width;
        count -= taken;
    }
}

void ValueReader::finish() {
    if (m_source && m_next >= storedBytes(m_layout.coding, m_pixel, m_perPart)) {
        m_source->finish();
    }
}

void ValueReader::readPart(std::int64_t first, char* target, std::int64_t count) {
    switch (m_layout.coding) {
    case Coding::Half:
        readHalves(first, target, count);
        return;
    case Coding::Nibble:
        readNibbles(first, target, count);
        return;
    case Coding::Same:
        break;
    }
    const bool swapped = m_layout.swapped && m_layout.encoding != Encoding::Text;
    while (count > 0) {
        const std::int64_t part = std::min(count, 16 * kBlockValues);
        readBytes(first * m_width, target, part * m_width);
        if (swapped) {
            swapBytes(target, part, m_width);
        }
        target += part * m_width;
        first += part;
        count -= part;
    }
}

void ValueReader::readBytes(std::int64_t first, void* target, std::int64_t count) {
    if (!m_source || first < m_next) {
        m_source = openBytes(m_layout, m_parts[m_part], m_pixel, m_files, m_stop);
        m_next = 0;
    }
    if (first > m_next) {
        m_source->skip(first - m_next);
    }
    m_source->read(target, count);
    m_next = first + count;
}

void ValueReader::readHalves(std::int64_t first, char* target, std::int64_t count) {
    std::vector<std::uint16_t> halves(static_cast<std::size_t>(std::min(count, kBlockValues)));
    while (count > 0) {
        const std::int64_t part = std::min(count, kBlockValues);
        readBytes(2 * first, halves.data(), 2 * part);
        if (m_layout.swapped) {
            swapBytes(halves.data(), part, 2);
        }
        for (std::int64_t i = 0; i < part; ++i, target += sizeof(float)) {
            const float value = floatOfHalf(halves[static_cast<std::size_t>(i)]);
            std::memcpy(target, &value, sizeof(float));
        }
        first += part;
        count -= part;
    }
}

void ValueReader::readNibbles(std::int64_t first, char* target, std::int64_t count) {
    std::vector<unsigned char> bytes;
    while (count > 0) {
        const std::int64_t part = std::min(count, kBlockValues);
        const std::int64_t from = first / 2;
        const std::int64_t to = (first + part + 1) / 2;
        bytes.resize(static_cast<std::size_t>(to - from));
        // The byte of an odd value was read with the value before it.
        const bool known = m_source && from == m_next - 1;
        if (known) {
            bytes.front() = m_last;
        }
        if (to - from > (known ? 1 : 0)) {
            readBytes(from + (known ? 1 : 0), bytes.data() + (known ? 1 : 0),
                      to - from - (known ? 1 : 0));
        }
        m_last = bytes.back();
        for (std::int64_t i = first; i < first + part; ++i) {
            const unsigned char both = bytes[static_cast<std::size_t>(i / 2 - from)];
            *target++ = static_cast<char>(i % 2 == 0 ? both & 15U : both >> 4U);
        }
        first += part;
        count -= part;
    }
}

} // namespace flcc::io::detail
