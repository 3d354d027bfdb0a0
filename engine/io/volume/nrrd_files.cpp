// Where the voxels of an NRRD file lie: behind its header, or in files beside it.

#include <algorithm>
#include <optional>

#include "engine/io/format/byte_source.h"
#include "engine/io/format/headers.h"
#include "engine/io/volume/nrrd_header.h"
#include "engine/io/volume/several_files.h"

namespace flcc::io::detail {

namespace {

/// Where `lines` lines from `offset` on end.
std::int64_t skipLines(const std::filesystem::path& path, std::int64_t offset, std::int64_t lines,
                       const std::stop_token& stop) {
    FileStream file(path, offset, nullptr, stop);
    std::vector<char> block(std::size_t{1} << 16);
    while (lines > 0) {
        const std::int64_t got = file.read(block.data(), static_cast<std::int64_t>(block.size()));
        if (got == 0) {
            failInput(path, "the file is truncated");
        }
        for (std::int64_t i = 0; i < got && lines > 0; ++i, ++offset) {
            lines -= block[static_cast<std::size_t>(i)] == '\n' ? 1 : 0;
        }
    }
    return offset;
}

} // namespace

void setNrrdFiles(const std::filesystem::path& path, const NrrdLines& lines, Described& described) {
    const std::string file = lines.get("data file");
    const std::vector<FileAxis>& axes = described.place.layout.axes;
    // Files hold all but the last axis, or the first `given` axes; all of them: parts of the last.
    const auto filesOf = [&](std::optional<std::int64_t> given, std::int64_t names) {
        const auto dimension = std::ssize(axes);
        const std::int64_t whole = given.value_or(std::max<std::int64_t>(1, dimension - 1));
        if (whole < 1 || whole > dimension ||
            (whole == dimension && (names < 1 || axes.back().length % names != 0))) {
            failInput(path, "\"data file\" in its header is " + inQuotes(file) + " for " +
                                std::to_string(dimension) + " dimensions");
        }
        std::int64_t count = whole == dimension ? names : 1;
        for (auto axis = whole; axis < dimension; ++axis) {
            count = cappedProduct(count, axes[static_cast<std::size_t>(axis)].length);
        }
        return count;
    };
    if (isList(file)) {
        const auto given = wholeNumbers(file.substr(4));
        setFiles(path, lines.files,
                 filesOf(given.empty() ? std::nullopt : std::optional(given.front()),
                         std::ssize(lines.files)),
                 described);
        return;
    }
    const std::size_t percent = file.find('%');
    const std::size_t blank = file.find_first_of(" \t", percent);
    const auto range =
        blank == std::string::npos ? std::vector<std::int64_t>{} : wholeNumbers(file.substr(blank));
    if (percent == std::string::npos || range.size() < 3 || range.size() > 4) {
        setFiles(path, {file}, 1, described);
        return;
    }
    const NumberedFiles files{file.substr(0, blank), range[0], range[1], range[2]};
    const auto near = [](std::int64_t number) { return number > INT32_MIN && number < INT32_MAX; };
    const bool counted = range[2] != 0 && near(range[0]) && near(range[1]) && near(range[2]);
    const std::int64_t names = counted ? (range[1] - range[0]) / range[2] + 1 : 0;
    const std::int64_t count =
        filesOf(range.size() > 3 ? std::optional(range[3]) : std::nullopt, names);
    setFiles(path, namesOf(path, files, count), count, described);
}

void setNrrdSkips(const std::filesystem::path& path, const NrrdLines& lines, Described& described,
                  const std::stop_token& stop) {
    RawLayout& layout = described.place.layout;
    if (lines.fields.contains("line skip")) {
        const std::int64_t count = nrrdWhole(path, lines, "line skip");
        if (count < 0) {
            failInput(path, "\"line skip\" in its header is -1");
        }
        forParts(layout, [&](RawPart& part) {
            part.offset = skipLines(part.file, part.offset, count, stop);
        });
    }
    if (!lines.fields.contains("byte skip")) {
        return;
    }
    const std::int64_t skip = nrrdWhole(path, lines, "byte skip");
    if (skip >= 0 && layout.encoding == Encoding::Packed) {
        layout.skip = skip;
        return;
    }
    if (skip < 0 && layout.encoding != Encoding::Plain) {
        failInput(path, "\"byte skip\" in its header is -1, which needs raw encoding");
    }
    const std::int64_t bytes = bytesPerPart(path, described);
    forParts(layout, [&](RawPart& part) {
        // -1: all bytes before the voxels, which end with the file.
        const std::int64_t size = requireRegularFile(part.file);
        part.offset =
            skip < 0 ? std::max<std::int64_t>(0, size - bytes) : part.offset + std::min(skip, size);
    });
}

} // namespace flcc::io::detail
