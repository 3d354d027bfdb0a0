#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/io/format/voxel_place.h"

// Voxels that an NRRD or MetaImage header spreads over several files.

namespace flcc::io::detail {

/// A name with a number in it, "slice%03d.raw", and its range.
struct NumberedFiles {
    std::string pattern;
    std::int64_t first = 1;
    std::int64_t last = 1;
    std::int64_t step = 1;
};

/// True for "LIST", and for "LIST" with a number of axes: names of files follow the header.
[[nodiscard]] bool isList(const std::string& text);

/// The names of the files. **Errors**: Input when the pattern has not exactly one integer, or the
/// range does not give `count` names.
[[nodiscard]] std::vector<std::string> namesOf(const std::filesystem::path& header,
                                               const NumberedFiles& files, std::int64_t count);

/// Whole numbers of a text; empty if a word is none.
[[nodiscard]] std::vector<std::int64_t> wholeNumbers(const std::string& text);

/// Sets the files of the layout to the files of these names beside the header, and the number of
/// files and a note. **Errors**: Input when there are not `count` names, or a file is missing or in
/// another folder.
void setFiles(const std::filesystem::path& header, const std::vector<std::string>& names,
              std::int64_t count, Described& described);

/// Applies `change` to the place of the voxels in every file.
template <class Change> void forParts(RawLayout& layout, const Change& change) {
    RawPart first{layout.file, layout.offset};
    change(first);
    layout.offset = first.offset;
    for (RawPart& part : layout.more) {
        change(part);
    }
}

} // namespace flcc::io::detail
