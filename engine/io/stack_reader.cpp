#include "engine/io/stack_reader.h"

#include <algorithm>
#include <functional>
#include <new>
#include <optional>
#include <utility>

#include "engine/base/error.h"
#include "engine/io/files/memory_errors.h"
#include "engine/io/files/read_files.h"
#include "engine/io/format/backends.h"
#include "engine/io/format/formats.h"
#ifdef FLCC_IMAGE_IO
#include "engine/io/raster/tiff_pages.h"
#endif

namespace flcc::io {

struct StackReader::Parts {
    std::filesystem::path path;
    ReadOptions options;
    detail::ReadFiles files;
    ImageInfo info; ///< of one image
    int count = 0;
    bool slices = false; ///< the images are slices of a volume
    detail::Choice choice;
    /// Of a format that our own code reads; its frames are the images.
    std::optional<detail::Described> header;
    /// Ends what `voxels` reads. Requested by the token of a call.
    std::stop_source stopper;
    std::unique_ptr<detail::VoxelReader> voxels;
#ifdef FLCC_IMAGE_IO
    std::unique_ptr<detail::TiffFile> tiff;
#endif

    void open();
    /// Says what the images of a stack with the properties `whole` are. **Errors**: Problem for a
    /// part that leaves it.
    void divide(ImageInfo whole);
    /// Image `number` in what the file holds.
    [[nodiscard]] base::Box boxOf(int number) const;
    std::vector<base::AnyImage> planesOf(int number, const std::stop_token& stop);
    std::vector<base::AnyImage> voxelsOf(int number, const std::stop_token& stop);
};

void StackReader::Parts::divide(ImageInfo whole) {
    slices = whole.extents.z > 1;
    if (options.reading.part) {
        detail::requireInside(path, whole.extents, *options.reading.part);
        detail::moveTo(whole, *options.reading.part);
    }
    info = whole;
    info.extents.z = 1;
    if (slices) {
        count = static_cast<int>(whole.extents.z);
    } else if (!options.frame) {
        count = whole.frames;
        info.frames = 1; // none has to be chosen
    } else {
        count = 1;
    }
}

void StackReader::Parts::open() {
    const detail::Format format = detail::detectFormat(path);
    if (format == detail::Format::Dicom || format == detail::Format::Hdf5) {
        throw base::Error(base::ErrorCode::Problem,
                          detail::shown(path) + " is a " + std::string(detail::name(format)) +
                              (format == detail::Format::Dicom ? " series" : " file") +
                              ", whose frames cannot be read one at a time; store it as .mha, "
                              ".nrrd, .nii, .mrc or .tif");
    }
    if (options.digests) {
        detail::addFiles(files, path, options.stop);
    }
    header = detail::describedBy(path, format, options.stop);
    if (header) {
        detail::requireAllFrames(*header, options.stop);
        const ImageInfo whole = header->info;
        if (whole.extents.z > INT32_MAX / whole.frames) {
            detail::failInput(path, "it has too many slices to be read one at a time");
        }
        divide(whole);
        choice = detail::choose(path, info, options);
    } else {
#ifdef FLCC_IMAGE_IO
        if (format == detail::Format::Tiff) {
            tiff = detail::openStack(path, options.stop,
                                     std::max(options.maxBytes, detail::kDirectoryBytes),
                                     options.reading);
            divide(tiff->info);
            choice = detail::chooseOf(path, *tiff, info, options);
        } else {
            Reading reading = options.reading;
            reading.part.reset();
            const ImageInfo whole = readImageInfo(path, options.stop, reading);
            detail::throwIfStopped(options.stop);
            divide(whole);
        }
#else
        divide(readImageInfo(path, options.stop)); // throws
#endif
    }
    info.frames = 1;
}

base::Box StackReader::Parts::boxOf(int number) const {
    const base::Index corner =
        options.reading.part ? options.reading.part->corner : base::Index{0, 0, 0};
    return {{corner.x, corner.y, corner.z + (slices ? number : 0)}, info.extents};
}

std::vector<base::AnyImage> StackReader::Parts::voxelsOf(int number, const std::stop_token& stop) {
    const std::stop_callback link(stop, [this] { stopper.request_stop(); });
    if (!voxels) {
        voxels = std::make_unique<detail::VoxelReader>(*header, options.digests ? &files : nullptr,
                                                       stopper.get_token());
    }
    return voxels->read(boxOf(number), {.channel = choice.channel,
                                        .frame = slices || options.frame ? choice.frame : number});
}

std::vector<base::AnyImage> StackReader::Parts::planesOf(int number, const std::stop_token& stop) {
    if (header) {
        try {
            return voxelsOf(number, stop);
        } catch (...) { // it stands somewhere in the file
            voxels.reset();
            stopper = {};
            throw;
        }
    }
#ifdef FLCC_IMAGE_IO
    if (tiff) {
        const detail::Choice at{.channel = choice.channel,
                                .frame = slices || options.frame ? choice.frame : number};
        base::Box box = boxOf(number);
        auto planes = detail::readSlices(
            path, *tiff, at, {.first = static_cast<int>(box.corner.z), .count = 1}, stop);
        box.corner.z = 0;
        for (base::AnyImage& plane : planes) {
            if (base::extentsOf(base::viewOf(plane)) != box.extents) {
                plane = base::copyOf(base::partOf(base::viewOf(plane), box));
            }
        }
        return planes;
    }
#endif
    ReadOptions one = options;
    one.frame = slices || options.frame ? options.frame : number;
    one.stop = stop;
    one.digests = false;
    one.reading.part.reset();
    return readRegion(path, boxOf(number), one).components;
}

namespace {

/// Calls `read`; an empty result if cancelled.
template <class Read>
auto untilStopped(const std::filesystem::path& path, const Read& read) -> decltype(read()) {
    try {
        return detail::withMemoryErrors(read);
    } catch (const detail::Stopped&) {
        return {};
    } catch (const std::bad_alloc&) {
        throw base::Error(base::ErrorCode::Memory,
                          "an image of " + detail::shown(path) +
                              " does not fit into the memory of this machine");
    }
}

} // namespace

StackReader::StackReader(std::filesystem::path path, const ReadOptions& options)
    : m_parts(std::make_unique<Parts>()) {
    m_parts->path = std::move(path);
    m_parts->options = options;
    const bool opened = untilStopped(m_parts->path, [&] {
        m_parts->open();
        return true;
    });
    m_parts->options.stop = {};
    if (!opened || options.stop.stop_requested()) {
        m_parts->count = 0;
    }
}

StackReader::~StackReader() = default;

const ImageInfo& StackReader::info() const { return m_parts->info; }

int StackReader::count() const { return m_parts->count; }

LoadedImage StackReader::read(int number, const std::stop_token& stop) {
    if (number < 0 || number >= m_parts->count) {
        throw base::Error(base::ErrorCode::Problem, detail::shown(m_parts->path) + " holds " +
                                                        std::to_string(m_parts->count) +
                                                        " frames; there is no frame " +
                                                        std::to_string(number));
    }
    LoadedImage image;
    image.components = untilStopped(m_parts->path, [&] { return m_parts->planesOf(number, stop); });
    image.info = m_parts->info;
    if (m_parts->slices) {
        image.info.geometry =
            base::movedTo(image.info.geometry, {0, 0, static_cast<double>(number)});
    }
    return image;
}

std::vector<FileDigest> StackReader::digests(const std::stop_token& stop) {
    m_parts->voxels.reset();
    return untilStopped(m_parts->path, [&] { return m_parts->files.digests(stop); });
}

} // namespace flcc::io
