// Where the planes lie that OME-XML describes: in pages of the file or of other files of its set.

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <system_error>

#include <tiffio.h>

#include "engine/base/error.h"
#include "engine/io/format/backends.h"
#include "engine/io/format/raw_file.h"
#include "engine/io/raster/ome.h"
#include "engine/io/raster/tiff_pages.h"

namespace flcc::io::detail {

namespace {

/// The file `name` beside `path`; empty if it is not there or lies in another folder.
std::filesystem::path neighbourOf(const std::filesystem::path& path, const std::string& name) {
    try {
        std::filesystem::path file = requireNeighbour(path, name);
        (void)requireRegularFile(file);
        return file;
    } catch (const base::Error&) {
        return {};
    }
}

bool sameFile(const std::filesystem::path& a, const std::filesystem::path& b) {
    std::error_code ignored;
    return std::filesystem::equivalent(a, b, ignored);
}

/// A description and the file that holds it.
struct FoundOme {
    Ome ome;
    std::filesystem::path holder; ///< empty: the file itself
    std::string missing;          ///< the name of the holder if it is not there
};

/// The text of `file`: XML, or the description of a TIFF file.
std::string descriptionIn(const std::filesystem::path& file) {
    const auto head = readBytes(file, 0, 2);
    if (head == std::vector<unsigned char>{'I', 'I'} ||
        head == std::vector<unsigned char>{'M', 'M'}) {
        std::string message;
        const Tiff tiff = openTiff(file, "rm", message, kDirectoryBytes);
        return tiff ? textsOf(tiff.get()).description : std::string();
    }
    constexpr std::int64_t kMost = std::int64_t{64} << 20;
    const auto bytes = readBytes(file, 0, std::min(kMost, requireRegularFile(file)));
    return {bytes.begin(), bytes.end()};
}

/// Follows a description that names another file.
FoundOme findOme(const std::filesystem::path& path, const std::string& text) {
    FoundOme found{parseOme(path, text), {}, {}};
    if (found.ome.metadataFile.empty()) {
        return found;
    }
    const std::string name = found.ome.metadataFile;
    const std::string own = found.ome.uuid;
    const std::filesystem::path holder = neighbourOf(path, name);
    const std::string other = holder.empty() ? std::string() : descriptionIn(holder);
    if (!isOme(other)) {
        found.missing = name;
        return found;
    }
    found.ome = parseOme(holder, other);
    found.ome.uuid = own;
    found.holder = holder;
    if (found.ome.images.empty()) {
        found.missing = name;
    }
    return found;
}

/// The files that blocks name.
class Members {
  public:
    static constexpr std::size_t kMissing = SIZE_MAX;

    Members(const std::filesystem::path& path, const Ome& ome)
        : m_path(path), m_name(path.filename()), m_own(ome.uuid) {
        std::set<std::string> names;
        for (const OmeImage& image : ome.images) {
            for (const OmeBlock& block : image.blocks) {
                if (!isOwn(block)) {
                    names.insert(block.file);
                }
            }
        }
        const auto present = [&](const std::string& name) {
            return !neighbourOf(m_path, name).empty();
        };
        // A single file that was renamed.
        m_renamed = names.size() == 1 && !present(*names.begin()) && !namesItself(ome);
    }

    /// 0: the file itself; from 1 on: others(); kMissing: not there.
    std::size_t numberOf(const OmeBlock& block) {
        if (isOwn(block) || m_renamed) {
            return 0;
        }
        const auto [known, isNew] = m_numbers.emplace(block.file, kMissing);
        if (isNew) {
            const std::filesystem::path file = neighbourOf(m_path, block.file);
            if (file.empty()) {
                m_missing.push_back(block.file.empty() ? block.uuid : block.file);
            } else if (sameFile(file, m_path)) {
                known->second = 0;
            } else {
                m_others.push_back(file);
                known->second = m_others.size();
            }
        }
        return known->second;
    }
    [[nodiscard]] const std::vector<std::filesystem::path>& others() const { return m_others; }
    [[nodiscard]] const std::vector<std::string>& missing() const { return m_missing; }

  private:
    [[nodiscard]] bool isOwn(const OmeBlock& block) const {
        return (block.file.empty() && (block.uuid.empty() || m_own.empty())) ||
               (!block.uuid.empty() && block.uuid == m_own) || block.file == m_name;
    }
    [[nodiscard]] bool namesItself(const Ome& ome) const {
        return std::any_of(ome.images.begin(), ome.images.end(), [&](const OmeImage& image) {
            return std::any_of(image.blocks.begin(), image.blocks.end(),
                               [&](const OmeBlock& block) { return isOwn(block); });
        });
    }

    std::filesystem::path m_path;
    std::string m_name; ///< of the file itself
    std::string m_own;
    bool m_renamed = false;
    std::map<std::string, std::size_t> m_numbers;
    std::vector<std::filesystem::path> m_others;
    std::vector<std::string> m_missing;
};

/// A page of one of the files.
struct PlacedPage {
    TiffPlane plane;
    const TiffKind* kind = nullptr;
};
/// By the number of the plane in the order of dimensions.
using PlacedPages = std::map<std::int64_t, PlacedPage>;

/// The planes of one image.
class Placement {
  public:
    Placement(const std::filesystem::path& path, TiffFile& open, const OmeImage& image,
              std::int64_t mostBytes, const std::stop_token& stop)
        : m_path(path), m_open(open), m_image(image), m_mostBytes(mostBytes), m_stop(stop) {
        const auto samples =
            static_cast<int>(open.pages.kinds[open.pages.directories.front().kind].page.samples);
        // Some programs do not say that a channel has several samples.
        if (image.samples == 1 && samples > 1 && image.channels % samples == 0 &&
            planes() > std::ssize(open.pages.directories)) {
            m_image.channels /= samples;
            m_image.samples = samples;
        }
        m_strides = omeStrides(path, m_image);
        const auto& blocks = m_image.blocks;
        m_countsSamples =
            std::all_of(blocks.begin(), blocks.end(),
                        [&](const OmeBlock& one) { return one.channel % m_image.samples == 0; }) &&
            std::any_of(blocks.begin(), blocks.end(),
                        [&](const OmeBlock& one) { return one.channel >= m_image.channels; });
        if (m_image.blocks.empty()) {
            m_image.blocks.emplace_back(); // all pages in their order
        }
    }

    void put(Members& members) {
        for (const OmeBlock& block : m_image.blocks) {
            throwIfStopped(m_stop);
            const std::size_t file = members.numberOf(block);
            if (file != Members::kMissing) {
                putBlock(block, file, file == 0 ? m_open.pages : pagesOf(members, file));
            }
        }
        m_paths = members.others();
    }

    /// Sets stack and notes. Returns the kind of all planes.
    TiffKind finish(std::size_t missingFiles);

  private:
    const TiffPages& pagesOf(const Members& members, std::size_t file);
    void putBlock(const OmeBlock& block, std::size_t file, const TiffPages& pages);
    [[nodiscard]] TiffKind kindOfAll() const;
    void requireExtents(const TiffPage& page) const;
    [[nodiscard]] std::int64_t lengthOf(std::size_t axis) const {
        return axis == 0 ? m_image.channels : axis == 1 ? m_image.slices : m_image.frames;
    }
    [[nodiscard]] std::int64_t planes() const {
        return cappedProduct(cappedProduct(lengthOf(0), lengthOf(1)), lengthOf(2));
    }

    const std::filesystem::path& m_path;
    TiffFile& m_open;
    OmeImage m_image;
    std::int64_t m_mostBytes;
    const std::stop_token& m_stop;
    std::array<std::int64_t, 3> m_strides{};
    bool m_countsSamples = false;              ///< FirstC counts the samples of colours
    std::map<std::size_t, TiffPages> m_others; ///< by the numbers of Members
    std::vector<std::filesystem::path> m_paths;
    PlacedPages m_placed;
    std::int64_t m_work = 0;
};

const TiffPages& Placement::pagesOf(const Members& members, std::size_t file) {
    const auto [known, isNew] = m_others.emplace(file, TiffPages{});
    if (isNew) {
        const std::filesystem::path& path = members.others()[file - 1];
        std::string message;
        const Tiff tiff = openTiff(path, "rm", message, m_mostBytes);
        if (tiff) {
            known->second = collectPages(path, tiff.get(), requireRegularFile(path), m_stop);
        }
        if (!tiff || !message.empty()) {
            failTiff(path, message);
        }
    }
    return known->second;
}

void Placement::putBlock(const OmeBlock& block, std::size_t file, const TiffPages& pages) {
    const std::array<std::int64_t, 3> first{m_countsSamples ? block.channel / m_image.samples
                                                            : block.channel,
                                            block.slice, block.frame};
    std::int64_t plane = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (first[axis] >= lengthOf(axis)) {
            failInput(m_path, "its OME description places channel " +
                                  std::to_string(block.channel) + ", slice " +
                                  std::to_string(block.slice) + " and frame " +
                                  std::to_string(block.frame) + ", which it does not have");
        }
        plane = cappedSum(plane, cappedProduct(first[axis], m_strides[axis]));
    }
    const std::int64_t page = block.page.value_or(0);
    const std::int64_t there = std::max<std::int64_t>(0, std::ssize(pages.directories) - page);
    std::int64_t count = block.planes.value_or(block.page ? 1 : there);
    if (block.planes && count > planes() - plane) {
        failInput(m_path, "its OME description places " + std::to_string(count) +
                              " planes from number " + std::to_string(plane) + " on, but has " +
                              std::to_string(planes()));
    }
    count = std::min({count, there, planes() - plane});
    constexpr std::int64_t kMostWork = 20'000'000;
    m_work += count;
    if (m_work > kMostWork) {
        failInput(m_path,
                  "its OME description places more than " + std::to_string(kMostWork) + " planes");
    }
    for (std::int64_t i = 0; i < count; ++i) {
        const TiffDirectory& directory = pages.directories[static_cast<std::size_t>(page + i)];
        m_placed[plane + i] = {{directory.position, file}, &pages.kinds[directory.kind]};
    }
}

std::string kindText(const TiffKind& kind) {
    return "page " + std::to_string(kind.first) + " has " + pageText(kind.page);
}

/// Sizes and samples of the description must be those of the pages.
void Placement::requireExtents(const TiffPage& page) const {
    const std::int64_t width = m_image.width.value_or(page.width);
    const std::int64_t height = m_image.height.value_or(page.height);
    if (width != page.width || height != page.height) {
        failInput(m_path, "SizeX and SizeY of its OME description are " + std::to_string(width) +
                              " and " + std::to_string(height) +
                              ", but ImageWidth and ImageLength are " + std::to_string(page.width) +
                              " and " + std::to_string(page.height));
    }
    if (m_image.samples > 1 && m_image.samples != page.samples) {
        failInput(m_path,
                  "SamplesPerPixel of its OME description is " + std::to_string(m_image.samples) +
                      ", but SamplesPerPixel of its pages is " + std::to_string(page.samples));
    }
}

TiffKind Placement::kindOfAll() const {
    std::map<const TiffKind*, std::size_t> kinds; // with the file of each
    for (const auto& [number, placed] : m_placed) {
        kinds.emplace(placed.kind, placed.plane.file);
    }
    TiffKind all = *m_placed.begin()->second.kind;
    requireExtents(all.page);
    std::int64_t promised = 0; // of the pages in the file itself
    for (const auto& [kind, file] : kinds) {
        if (kindOf(kind->page) != kindOf(all.page)) {
            failInput(m_path,
                      "the planes of an image differ: " + kindText(all) + ", " + kindText(*kind));
        }
        const std::filesystem::path& path = file == 0 ? m_path : m_paths[file - 1];
        requireSizes(path, kind->sizes, requireRegularFile(path));
        promised = cappedSum(promised, file == 0 ? kind->sizes.promised : 0);
        all.sizes = together(all.sizes, kind->sizes);
    }
    all.sizes.promised = promised;
    return all;
}

TiffKind Placement::finish(std::size_t missingFiles) {
    if (m_placed.empty()) {
        failInput(m_path, missingFiles > 0
                              ? "the files of its set that hold this image are not there; put "
                                "them into the same folder"
                              : "it has none of the planes that its OME description names");
    }
    const TiffKind all = kindOfAll();
    std::array<std::int64_t, 3> there{0, 0, 0}; // counts up to the last plane
    for (const auto& [number, placed] : m_placed) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::int64_t at = number / m_strides[axis] % lengthOf(axis);
            there[axis] = std::max(there[axis], at + 1);
        }
    }
    if (all.page.depth > 1) {
        failInput(m_path, "its pages are volumes, which its OME description cannot place");
    }
    if (all.page.sampleFormat == SAMPLEFORMAT_IEEEFP) {
        there[1] = m_image.slices; // those that are missing are NaN
    }
    TiffStack& stack = m_open.stack;
    stack.channels = static_cast<int>(there[0]);
    stack.slices = static_cast<int>(there[1]);
    stack.frames = static_cast<int>(there[2]);
    stack.geometry = m_image.geometry;
    if (!m_image.note.empty()) {
        stack.notes.push_back(m_image.note);
    }
    constexpr std::int64_t kMostPlanes = 10'000'000;
    const std::int64_t kept = cappedProduct(cappedProduct(there[0], there[1]), there[2]);
    if (kept > kMostPlanes) {
        failInput(m_path, "its OME description promises " + std::to_string(kept) +
                              " planes, but the file has " + std::to_string(m_placed.size()));
    }
    stack.planes.resize(static_cast<std::size_t>(kept));
    for (const auto& [number, placed] : m_placed) {
        std::array<int, 3> at{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            at[axis] = static_cast<int>(number / m_strides[axis] % lengthOf(axis));
        }
        stack.planes[static_cast<std::size_t>(stack.numberOf(at[0], at[1], at[2]))] = placed.plane;
    }
    const std::int64_t absent = planes() - std::ssize(m_placed);
    if (absent > 0) {
        std::string note = std::to_string(absent) + " of " + std::to_string(planes()) +
                           " planes that its OME description names are not there, as in a "
                           "recording that was stopped";
        if (kept < planes()) {
            note += "; " + std::to_string(there[0]) + " of " + std::to_string(m_image.channels) +
                    " channels, " + std::to_string(there[1]) + " of " +
                    std::to_string(m_image.slices) + " slices and " + std::to_string(there[2]) +
                    " of " + std::to_string(m_image.frames) + " frames have any";
        }
        if (kept > std::ssize(m_placed)) {
            note += all.page.sampleFormat == SAMPLEFORMAT_IEEEFP
                        ? "; voxels of missing slices are NaN"
                        : "; a channel and frame with a missing slice cannot be read";
        }
        stack.notes.push_back(std::move(note));
    }
    return all;
}

} // namespace

std::optional<TiffKind> placeOme(const std::filesystem::path& path, TiffFile& open,
                                 const TiffTexts& texts, const Reading& reading,
                                 std::int64_t mostBytes, const std::stop_token& stop) {
    const FoundOme found = findOme(path, texts.description);
    if (!found.missing.empty()) {
        open.stack.notes.push_back("its description lies in " + shown(found.missing) +
                                   ", which is not there; its pages were taken in their order");
        return std::nullopt;
    }
    ImageInfo& info = open.info;
    const std::vector<OmeImage>& images = found.ome.images;
    info.images = static_cast<int>(images.size());
    requireReading(path, info, {.image = reading.image});
    const auto number = static_cast<std::size_t>(reading.image.value_or(0));
    info.image = static_cast<int>(number);
    Members members(path, found.ome);
    Placement placement(path, open, images[number], mostBytes, stop);
    placement.put(members);
    TiffKind kind = placement.finish(members.missing().size());
    open.others = members.others();
    TiffStack& stack = open.stack;
    if (images.size() > 1) {
        const std::string name = base::oneLine(images[number].name).substr(0, 60);
        stack.notes.push_back("it holds " + std::to_string(images.size()) + " images, of which " +
                              std::to_string(number) + (name.empty() ? "" : ", \"" + name + "\",") +
                              " was read (--image)");
    }
    if (!members.missing().empty()) {
        const std::size_t count = members.missing().size();
        stack.notes.push_back(std::to_string(count) +
                              (count == 1 ? " file of its set is not there: "
                                          : " files of its set are not there, such as ") +
                              shown(members.missing().front()));
    }
    return kind;
}

std::vector<std::filesystem::path> tiffSetFiles(const std::filesystem::path& path) {
    std::string message;
    const Tiff file = openTiff(path, "rm", message, kDirectoryBytes);
    const std::string text = file ? textsOf(file.get()).description : std::string();
    if (!isOme(text)) {
        return {};
    }
    try {
        const FoundOme found = findOme(path, text);
        Members members(path, found.ome);
        for (const OmeImage& image : found.ome.images) {
            for (const OmeBlock& block : image.blocks) {
                (void)members.numberOf(block);
            }
        }
        std::vector<std::filesystem::path> files = members.others();
        if (!found.holder.empty() &&
            std::find(files.begin(), files.end(), found.holder) == files.end()) {
            files.push_back(found.holder);
        }
        return files;
    } catch (const base::Error&) { // reading the image says what is wrong
        return {};
    }
}

} // namespace flcc::io::detail
