// Formats that flcc-reader reads. What it answers is checked like a file.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <sstream>

#include <unistd.h>

#include "engine/base/error.h"
#include "engine/io/files/read_files.h"
#include "engine/io/format/backends.h"
#include "engine/io/format/formats.h"
#include "engine/io/format/raw_file.h"
#include "engine/io/process/reader_process.h"
#include "engine/io/process/reader_protocol.h"
#include "engine/io/raster/orientation.h"

namespace flcc::io::detail {

namespace {

/// A checked answer up to its voxels.
struct Answer {
    ImageInfo info;
    std::vector<std::string> files;   ///< names of a series
    std::vector<std::string> choices; ///< texts of several images
    std::int64_t voxelBytes = 0;
    base::Extents stored; ///< of the voxels as they come
    bool turned = false;  ///< the picture is shown in another way
    Turn turn{};          ///< from the voxels to the picture
};

std::string boxText(const base::Box& box) {
    std::string text;
    for (const std::int64_t number :
         {box.corner.x, box.corner.y, box.corner.z, box.extents.x, box.extents.y, box.extents.z}) {
        text += (text.empty() ? "" : ",") + std::to_string(number);
    }
    return text;
}

ReaderProcess start(const std::filesystem::path& path, Format format, const ReadOptions* options,
                    const Reading& reading, const std::optional<base::Box>& box,
                    const std::stop_token& stop) {
    const DatasetPath named = splitDataset(path);
    const ReaderSetup& setup = readerSetup();
    // A limit beyond the memory of the machine is none.
    const std::int64_t machine = std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
    const std::int64_t voxels = options == nullptr ? 0 : std::min(options->maxBytes, machine);
    const auto chosen = [&](std::optional<int> ReadOptions::*which) {
        return std::to_string(options == nullptr ? -1 : (options->*which).value_or(-1));
    };
    return ReaderProcess(path, format,
                         {std::string(rowOf(format).reader), options == nullptr ? "info" : "read",
                          named.file.string(), named.dataset, chosen(&ReadOptions::frame),
                          chosen(&ReadOptions::channel), std::to_string(reading.image.value_or(-1)),
                          box ? boxText(*box) : std::string(),
                          std::to_string(options == nullptr ? 0 : options->maxBytes)},
                         {.memory = setup.baseMemory + voxels,
                          .seconds = options == nullptr ? setup.infoSeconds : setup.readSeconds},
                         stop);
}

/// Receives the texts behind a header; returns the sentence of an error.
std::string receiveTexts(ReaderProcess& process, const ReaderHeader& header, Answer& answer) {
    if (header.textBytes < 0 || header.textBytes > kMostReaderText) {
        process.failAnswer("texts of " + std::to_string(header.textBytes) + " bytes");
    }
    std::string texts(static_cast<std::size_t>(header.textBytes), ' ');
    process.read(texts.data(), header.textBytes);
    std::string sentence;
    for (std::size_t at = 0; at < texts.size();) {
        const std::size_t end = texts.find('\0', at);
        if (end == std::string::npos) {
            process.failAnswer("a text without an end");
        }
        const auto kind = static_cast<ReaderText>(texts[at]);
        const std::string raw = texts.substr(at + 1, end - at - (end > at ? 1 : 0));
        const std::string text = oneLine(raw);
        at = end + 1;
        if (kind == ReaderText::Sentence) {
            sentence = text;
        } else if (kind == ReaderText::Note) {
            answer.info.notes.push_back(text);
        } else if (kind == ReaderText::File) {
            answer.files.push_back(raw); // a name may hold any byte but these two
            if (raw.empty() || raw == "." || raw == ".." || raw.find('/') != std::string::npos) {
                process.failAnswer("a file in another folder");
            }
        } else if (kind == ReaderText::Choice) {
            answer.choices.push_back(raw);
        } else if (kind == ReaderText::Entry && text.find('=') != std::string::npos) {
            answer.info.metadata[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
        } else {
            process.failAnswer("a text of an unknown kind");
        }
    }
    return sentence;
}

/// Throws what a header with an error code says.
[[noreturn]] void failAs(const ReaderProcess& process, const std::filesystem::path& path,
                         const ReaderHeader& header, const std::string& sentence) {
    if (header.code == static_cast<std::int32_t>(base::ErrorCode::Memory)) {
        process.failMemory();
    }
    if (header.code == static_cast<std::int32_t>(base::ErrorCode::Problem)) {
        throw base::Error(base::ErrorCode::Problem, shown(path) + " " + sentence);
    }
    if (header.code != static_cast<std::int32_t>(base::ErrorCode::Input) || sentence.empty()) {
        process.failAnswer("error code " + std::to_string(header.code));
    }
    failInput(path, sentence);
}

ReaderHeader receiveHeader(ReaderProcess& process) {
    ReaderHeader header;
    std::array<char, sizeof(ReaderHeader)> bytes{};
    process.read(bytes.data(), bytes.size());
    std::memcpy(&header, bytes.data(), sizeof(header));
    if (header.magic != kReaderMagic) {
        process.failAnswer("no header");
    }
    return header;
}

Answer receiveInfo(ReaderProcess& process, const std::filesystem::path& path, Format format,
                   const Reading& reading) {
    const ReaderHeader header = receiveHeader(process);
    Answer answer;
    const std::string sentence = receiveTexts(process, header, answer);
    if (header.code != 0) {
        failAs(process, path, header, sentence);
    }
    ImageInfo& info = answer.info;
    const bool imagesFit = header.images >= 1 && header.image >= 0 && header.image < header.images;
    if (!imagesFit || header.regions < 0 || header.regions > 1 || header.pixel < 0 ||
        header.pixel > static_cast<int>(base::PixelType::Float64) || header.components < 1 ||
        header.components > 4 || header.frames < 1 || header.channels < 1 ||
        header.skippedFiles < 0 || header.orientation < -1 || header.unit.back() != '\0') {
        process.failAnswer("values out of range");
    }
    info.format = name(format);
    info.extents = {header.extents[0], header.extents[1], header.extents[2]};
    info.pixel = static_cast<base::PixelType>(header.pixel);
    info.components = header.components;
    info.frames = header.frames;
    info.channels = header.channels;
    info.images = header.images;
    info.image = header.image;
    info.regions = header.regions == 1 ? RegionAccess::Box : RegionAccess::Whole;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        info.geometry.spacing[axis] = header.spacing[axis];
        info.geometry.origin[axis] = header.origin[axis] + 0.0; // no -0
    }
    info.geometry.direction = header.direction;
    for (double& part : info.geometry.direction) {
        part += 0.0;
    }
    info.files = std::max(1, static_cast<int>(answer.files.size()));
    info.series = rowOf(format).series;
    info.directed =
        rowOf(format).library == "ITK" && info.geometry.direction != base::Geometry().direction;
    info.skippedFiles = header.skippedFiles;
    requireSaneHeader(path, info);
    setHeaderUnit(info.geometry, header.unit.data());
    requireSaneHeader(path, info); // in its unit
    answer.stored = info.extents;
    if (header.orientation >= 0 && info.extents.z == 1) {
        answer.turn = place(info, static_cast<std::uint32_t>(header.orientation), "EXIF",
                            std::nullopt, reading);
        const bool plain = answer.turn.origin == 0 && answer.turn.stepX == 1;
        answer.turned = !plain || answer.turn.transposes;
    }
    answer.voxelBytes = header.voxelBytes;
    return answer;
}

/// The voxels behind a header.
class VoxelStream {
  public:
    VoxelStream(ReaderProcess& process, const std::filesystem::path& path)
        : m_process(process), m_path(path) {}

    void read(void* target, std::int64_t count) {
        auto* out = static_cast<char*>(target);
        while (count > 0) {
            if (m_left == 0) {
                nextBlock();
            }
            const std::int64_t part = std::min(count, m_left);
            m_process.read(out, part);
            out += part;
            count -= part;
            m_left -= part;
        }
    }

  private:
    void nextBlock() {
        m_process.read(&m_left, sizeof(m_left));
        if (m_left == kReaderFailed) {
            const ReaderHeader header = receiveHeader(m_process);
            Answer ignored;
            const std::string sentence = receiveTexts(m_process, header, ignored);
            failAs(m_process, m_path, header, sentence);
        }
        if (m_left < 1 || m_left > kMostReaderBlock) {
            m_process.failAnswer("a block of " + std::to_string(m_left) + " bytes");
        }
    }

    ReaderProcess& m_process;
    const std::filesystem::path& m_path;
    std::int64_t m_left = 0; ///< bytes of the current block
};

/// Puts voxels that lie `step` apart in a block where they are shown in a plane. `first` is the
/// number of the first one in the picture as it is stored.
void putTurned(const Answer& answer, std::int64_t first, std::int64_t count,
               const base::AnyImage& block, std::int64_t offset, std::int64_t step,
               base::AnyImage& plane) {
    std::visit(
        [&](auto& to) {
            const auto* from = std::get<std::decay_t<decltype(to)>>(block).data() + offset;
            for (std::int64_t i = 0; i < count; ++i) {
                const std::int64_t x = (first + i) % answer.stored.x;
                const std::int64_t y = (first + i) / answer.stored.x;
                to.data()[answer.turn.origin + x * answer.turn.stepX + y * answer.turn.stepY] =
                    from[i * step];
            }
        },
        plane);
}

std::vector<base::AnyImage> receiveVoxels(VoxelStream& stream, const Answer& answer,
                                          const ImageInfo& info) {
    std::vector<base::AnyImage> planes;
    for (int i = 0; i < info.components; ++i) {
        planes.push_back(base::makeImage(info.pixel, info.extents));
    }
    const std::int64_t voxels = base::voxelCount(info.extents);
    if (info.components == 1 && !answer.turned) {
        stream.read(bytesOf(planes[0]), voxels * base::bytesPerVoxel(info.pixel));
        return planes;
    }
    constexpr std::int64_t kBlock = 1 << 18;
    base::AnyImage block = base::makeImage(info.pixel, {info.components, kBlock, 1});
    for (std::int64_t at = 0; at < voxels; at += kBlock) {
        const std::int64_t count = std::min(kBlock, voxels - at);
        stream.read(bytesOf(block), count * info.components * base::bytesPerVoxel(info.pixel));
        for (int i = 0; i < info.components; ++i) {
            base::AnyImage& plane = planes[static_cast<std::size_t>(i)];
            if (answer.turned) {
                putTurned(answer, at, count, block, i, info.components, plane);
            } else {
                takeEvery(plane, at, count, bytesOf(block), i, info.components);
            }
        }
    }
    return planes;
}

/// The folder of a series.
std::filesystem::path folderOf(const std::filesystem::path& path) {
    const std::filesystem::path folder =
        std::filesystem::is_directory(path) ? path : path.parent_path();
    return folder.empty() ? "." : folder;
}

} // namespace

ImageInfo processInfo(const std::filesystem::path& path, Format format, const std::stop_token& stop,
                      const Reading& reading) {
    ReaderProcess process = start(path, format, nullptr, reading, std::nullopt, stop);
    return receiveInfo(process, path, format, reading).info;
}

std::vector<ImageChoice> processChoices(const std::filesystem::path& path, Format format,
                                        const std::stop_token& stop) {
    ReaderProcess process = start(path, format, nullptr, {}, std::nullopt, stop);
    const ReaderHeader header = receiveHeader(process);
    Answer answer;
    (void)receiveTexts(process, header, answer);
    std::vector<ImageChoice> choices;
    for (const std::string& text : answer.choices) {
        std::array<std::string, 5> lines;
        std::istringstream in(text);
        for (std::string& line : lines) {
            std::getline(in, line);
        }
        ImageChoice choice{path, oneLine(lines[1]), oneLine(lines[2]), oneLine(lines[3])};
        const auto [end, error] =
            std::from_chars(lines[4].data(), lines[4].data() + lines[4].size(), choice.count);
        const bool inFolder = !lines[0].empty() && lines[0].find('/') == std::string::npos &&
                              lines[0] != "." && lines[0] != "..";
        if (error != std::errc{} || (format == Format::Dicom && !inFolder)) {
            process.failAnswer("a choice that is none");
        }
        if (format == Format::Dicom) {
            choice.path = folderOf(path) / lines[0];
        } else {
            choice.path += ":" + lines[0];
        }
        choices.push_back(std::move(choice));
    }
    return choices;
}

LoadedImage readByProcess(const std::filesystem::path& path, Format format,
                          const ReadOptions& options, const std::optional<base::Box>& box,
                          ReadFiles* files) {
    const bool series = rowOf(format).series && files != nullptr;
    if (series) {
        files->addFolder(folderOf(path)); // before the process opens any of them
    }
    ReaderProcess process = start(path, format, &options, options.reading, box, options.stop);
    Answer answer = receiveInfo(process, path, format, options.reading);
    if (box) {
        if (answer.info.regions != RegionAccess::Box || answer.turned) {
            process.failAnswer("an image without the region");
        }
        requireInside(path, answer.info.extents, *box);
        moveTo(answer.info, *box);
    }
    if (series && !files->keepOnly(answer.files)) {
        process.failAnswer("a file that is not in the folder");
    }
    (void)choose(path, answer.info, options);
    if (answer.voxelBytes !=
        base::byteCount(answer.info.extents,
                        answer.info.components * base::bytesPerVoxel(answer.info.pixel))) {
        process.failAnswer(std::to_string(answer.voxelBytes) + " bytes of voxels");
    }
    LoadedImage loaded;
    loaded.info = std::move(answer.info);
    VoxelStream stream(process, path);
    loaded.components = receiveVoxels(stream, answer, loaded.info);
    return loaded;
}

} // namespace flcc::io::detail
