#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/files/read_files.h"
#include "engine/io/format/reading.h"
#include "engine/io/format/voxel_place.h"

namespace flcc::io::detail {

/// What tells the format of a file.
struct FileStart {
    const std::filesystem::path& file;
    std::string extension;            ///< extensionOf()
    std::vector<unsigned char> bytes; ///< the first 1024

    [[nodiscard]] bool has(std::size_t offset, std::string_view text) const;
};

/// A format of images that can be read. Either `describe` reads its header and RawReader the
/// voxels, or `info` and `read` are those of a library in this process, or flcc-reader reads it.
/// A build without image libraries lacks the last two.
struct FormatRow {
    Format format{};
    std::string_view name;       ///< ImageInfo::format
    std::string_view extensions; ///< with a blank after each: "png "
    std::string_view packed{};   ///< the same of files packed by gzip, with image libraries
    /// Whether a file begins so; null for what `detectFormat` finds by other means.
    bool (*begins)(const FileStart&) = nullptr;
    Described (*describe)(const std::filesystem::path&, const std::stop_token&) = nullptr;
    ImageInfo (*info)(const std::filesystem::path&, const std::stop_token&,
                      const Reading&) = nullptr;
    LoadedImage (*read)(const std::filesystem::path&, const ReadOptions&) = nullptr;
    /// Reads every pixel once; null: as reading every channel and frame.
    void (*verify)(const std::filesystem::path&, const std::stop_token&, const Reading&) = nullptr;
    /// The other files of a set that are there; null: the format has no sets.
    std::vector<std::filesystem::path> (*set)(const std::filesystem::path&) = nullptr;
    std::string_view reader{};  ///< the word by which flcc-reader is asked for it
    std::string_view library{}; ///< without which a build cannot read it; empty: image libraries
    bool hasDatasets = false;   ///< a path may go on with that of a dataset in the file
    bool inFolders = false;     ///< a path may be a folder, whose files are found on reading
    bool series = false;        ///< a file is one of several in its folder
};

[[nodiscard]] const FormatRow& rowOf(Format format);

/// Why this build cannot read the format: "built without ITK"; empty if it can.
[[nodiscard]] std::string_view missingLibrary(const FormatRow& row);

/// The header of a format that our own code reads; empty for another format. **Errors**: Input;
/// Stopped.
[[nodiscard]] std::optional<Described> describedBy(const std::filesystem::path& path, Format format,
                                                   const std::stop_token& stop);

/// Adds the files that the image is read from, except those of a DICOM series. **Errors**: Input.
void addFiles(ReadFiles& files, const std::filesystem::path& path, const std::stop_token& stop);

} // namespace flcc::io::detail
