// Electron events of Falcon cameras in TIFF directories, after the library of their maker
// (github.com/fei-company/EerReaderLib): bits are taken from the lowest of each byte on. A code of
// `runBits` bits is the number of pixels without an electron before the next one, whose place in
// the pixel follows in `placeBits` bits. The largest code counts pixels only: neither an electron
// nor a place follows it. Files of prototypes, which stored a place there too, do not end at the
// last pixel and are refused.

#include "engine/io/raster/eer_file.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/io/format/headers.h"
#include "engine/io/raster/tiff_entries.h"

namespace flcc::io::detail {

namespace {

constexpr std::uint64_t kEightBits = 65000; // compressions; between them 7 bits
constexpr std::uint64_t kStatedBits = 65002;
constexpr std::int64_t kMostFrames = 65535; // counts of electrons are uint16

struct EerFrame {
    std::uint64_t position = 0; ///< of its directory
    std::uint64_t width = 0;
    std::uint64_t height = 0;
    unsigned runBits = 0;
    unsigned placeBits = 0;

    [[nodiscard]] std::uint64_t largestRun() const { return (std::uint64_t{1} << runBits) - 1; }
};

bool holdsEvents(const TiffEntries& page) {
    constexpr std::uint16_t kCompression = 259;
    const std::uint64_t compression = page.number(kCompression);
    return compression >= kEightBits && compression <= kStatedBits;
}

EerFrame frameOf(const std::filesystem::path& path, const TiffEntries& page,
                 std::uint64_t position) {
    constexpr std::uint64_t kLongest = 1 << 24;
    constexpr std::uint64_t kMostBits = 16;
    const std::uint64_t compression = page.number(259);
    const bool stated = compression == kStatedBits;
    const std::uint64_t run = stated ? page.number(65007) : compression == kEightBits ? 8 : 7;
    const std::uint64_t across = stated ? page.number(65008) : 2;
    const std::uint64_t down = stated ? page.number(65009) : 2;
    const EerFrame frame{.position = position,
                         .width = page.number(256),
                         .height = page.number(257),
                         .runBits = static_cast<unsigned>(std::min(run, kMostBits + 1)),
                         .placeBits = static_cast<unsigned>(std::min(across, kMostBits) +
                                                            std::min(down, kMostBits))};
    if (frame.width < 1 || frame.height < 1 || frame.width > kLongest || frame.height > kLongest ||
        run < 1 || run > kMostBits || across > kMostBits || down > kMostBits) {
        failInput(path, "the header of one of its EER frames is damaged");
    }
    return frame;
}

std::vector<EerFrame> framesOf(const std::filesystem::path& path, const std::stop_token& stop) {
    std::vector<EerFrame> frames;
    std::int64_t pages = 0;
    for (std::uint64_t at = firstDirectory(readBytes(path, 0, 16)); at != 0;) {
        throwIfStopped(stop);
        const TiffEntries page(path, at);
        if (holdsEvents(page)) { // the first one may be a picture of the whole
            frames.push_back(frameOf(path, page, at));
            const EerFrame& first = frames.front();
            if (frames.back().width != first.width || frames.back().height != first.height) {
                failInput(path, "its EER frames have several sizes");
            }
        }
        if (++pages > kMostFrames) {
            failInput(path, "it has more than " + std::to_string(kMostFrames) +
                                " pages, or they follow each other in a circle");
        }
        at = page.next();
    }
    return frames;
}

/// The bytes of a frame. **Errors**: Input when they cannot stand for its pixels.
Bytes eventsOf(const std::filesystem::path& path, const EerFrame& frame, std::size_t number) {
    constexpr std::int64_t kMostStrips = 1 << 20;
    const TiffEntries page(path, frame.position);
    const std::vector<std::uint64_t> offsets = page.numbers(273, kMostStrips);
    const std::vector<std::uint64_t> counts = page.numbers(279, kMostStrips);
    const auto size = static_cast<std::uint64_t>(requireRegularFile(path));
    Bytes events;
    for (std::size_t i = 0; i < offsets.size() && i < counts.size(); ++i) {
        if (counts[i] > size || offsets[i] > size - counts[i] ||
            counts[i] > size - std::min<std::uint64_t>(size, events.size())) {
            failInput(path, "the file is truncated in frame " + std::to_string(number));
        }
        const Bytes strip = readBytes(path, static_cast<std::int64_t>(offsets[i]),
                                      static_cast<std::int64_t>(counts[i]));
        events.insert(events.end(), strip.begin(), strip.end());
    }
    const std::uint64_t codes = events.size() * 8 / frame.runBits;
    if (cappedProduct(static_cast<std::int64_t>(codes),
                      static_cast<std::int64_t>(frame.largestRun())) <
        static_cast<std::int64_t>(frame.width * frame.height)) {
        failInput(path, "its frame " + std::to_string(number) +
                            " has more pixels than its events can tell of; it is truncated or "
                            "damaged");
    }
    return events;
}

class Bits {
  public:
    explicit Bits(const Bytes& bytes) : m_bytes(bytes) {}

    /// The next bits; those behind the end are 0.
    std::uint64_t take(unsigned count) {
        while (m_held < count) {
            m_word |= std::uint64_t{m_at < m_bytes.size() ? m_bytes[m_at] : 0U} << m_held;
            m_held += 8;
            ++m_at;
        }
        const std::uint64_t bits = m_word & ((std::uint64_t{1} << count) - 1);
        m_word >>= count;
        m_held -= count;
        return bits;
    }
    [[nodiscard]] bool ended() const { return m_at > m_bytes.size() + 8; }

  private:
    const Bytes& m_bytes;
    std::size_t m_at = 0;
    std::uint64_t m_word = 0;
    unsigned m_held = 0;
};

/// Adds the electrons of a frame. False if they do not end at its last pixel.
bool addEvents(const Bytes& events, const EerFrame& frame, std::uint16_t* counts) {
    const std::uint64_t pixels = frame.width * frame.height;
    const std::uint64_t largest = frame.largestRun();
    Bits bits(events);
    std::uint64_t at = 0;
    while (!bits.ended()) {
        const std::uint64_t run = bits.take(frame.runBits);
        at += run;
        if (at >= pixels) {
            return at == pixels;
        }
        if (run < largest) {
            ++counts[at];
            ++at;
            (void)bits.take(frame.placeBits);
        }
    }
    return false;
}

ImageInfo infoOf(const std::filesystem::path& path, const std::vector<EerFrame>& frames) {
    if (frames.empty()) {
        failInput(path, "it holds no EER frame");
    }
    ImageInfo info;
    info.format = name(Format::Eer);
    info.pixel = base::PixelType::UInt16;
    info.extents = {static_cast<std::int64_t>(frames.front().width),
                    static_cast<std::int64_t>(frames.front().height), 1};
    info.notes.push_back("its " + std::to_string(frames.size()) +
                         (frames.size() == 1 ? " EER frame was" : " EER frames were") +
                         " summed on the pixels of the camera, without gain, defects or motion; "
                         "the file does not state the size of a pixel of the specimen");
    requireSaneHeader(path, info);
    return info;
}

} // namespace

bool isEer(const FileStart& start) {
    const std::uint64_t position = firstDirectory(start.bytes);
    if (position == 0) {
        return false;
    }
    try {
        const TiffEntries first(start.file, position);
        if (holdsEvents(first)) {
            return true;
        }
        const std::uint64_t next = start.extension == ".eer" ? first.next() : 0;
        return next != 0 && holdsEvents(TiffEntries(start.file, next));
    } catch (const base::Error&) {
        return false; // libtiff says what is wrong
    }
}

ImageInfo eerInfo(const std::filesystem::path& path, const std::stop_token& stop,
                  const Reading& /*reading*/) {
    return infoOf(path, framesOf(path, stop));
}

LoadedImage readEer(const std::filesystem::path& path, const ReadOptions& options) {
    const std::vector<EerFrame> frames = framesOf(path, options.stop);
    LoadedImage loaded;
    loaded.info = infoOf(path, frames);
    (void)choose(path, loaded.info, options, requireRegularFile(path) / std::ssize(frames));
    (void)eventsOf(path, frames.front(), 0); // before the sum is allocated
    base::Image<std::uint16_t> sum(loaded.info.extents);
    std::fill_n(sum.data(), sum.count(), std::uint16_t{0});
    for (std::size_t i = 0; i < frames.size(); ++i) {
        throwIfStopped(options.stop);
        if (!addEvents(eventsOf(path, frames[i], i), frames[i], sum.data())) {
            failInput(path,
                      "the events of its frame " + std::to_string(i) +
                          " do not end at the last pixel; it is truncated or damaged, or of a "
                          "prototype of the camera");
        }
    }
    loaded.components.emplace_back(std::move(sum));
    loaded.info.complete = true;
    return loaded;
}

} // namespace flcc::io::detail
