#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/io/list_file.h"
#include "engine/io/protected_files.h"
#include "engine/job/command_line.h"
#include "engine/job/exports.h"

namespace flcc::job {

/// A list of positions that is read in one format and written in another: `flcc-cli peaks`.
struct ListConversion {
    std::filesystem::path input;
    io::ListFormat from = io::ListFormat::Auto; ///< Auto: by content
    std::filesystem::path output{};             ///< empty: the list is only returned
    io::ListFormat to = io::ListFormat::Auto;   ///< Auto: by extension; without an output, CSV
    std::filesystem::path scene{};              ///< its extents and geometry; may be empty
    io::ListUnknowns unknowns{};
    /// The positions that are written, by what was decided on them; empty: all.
    std::vector<match::Decision> only{};
    /// Files of boxes that are cut from the scene at the positions that are left. The scene is that
    /// of `scene`, else the one that the list names. Where there are some, a list without output
    /// and format is neither written nor returned.
    Exports exports{};
    std::optional<int> channel{}; ///< of the scene
    std::optional<int> frame{};
};

struct ConvertedList {
    io::ListFormat from = io::ListFormat::Csv;
    io::ListFormat to = io::ListFormat::Csv;
    std::string text; ///< the bytes of the file
    std::size_t positions = 0;
    std::vector<std::string> notes;      ///< sentences: what the format cannot hold
    std::optional<StackReport> stack;    ///< what was written
    std::vector<AverageReport> averages; ///< one a template
    bool cancelled = false;              ///< nothing was written
};

/// Reads and, if there is an output, writes; the written file is read back and compared.
/// **Errors**: those of io::readList, io::writeList and, for the scene, io::readImageInfo;
/// CommandLine if an output is an input. Of boxes also those of loadImage, match::cutPanels and
/// io::writeStack; Problem without a scene, for a scene of other extents or another digest than the
/// list states, and without a size of the boxes.
[[nodiscard]] ConvertedList convertList(const ListConversion& conversion,
                                        const std::stop_token& stop = {});

/// The options of the command.
[[nodiscard]] std::vector<CommandOption> listOptions();
/// Sets options by their names, without dashes. **Errors**: CommandLine.
void setListOptions(ListConversion& conversion, const GivenOptions& given);

/// Sets one fact on the tilt series by the name of its option. **Errors**: CommandLine for a value
/// that is wrong.
void setListUnknown(io::ListUnknowns& unknowns, const std::string& option, const std::string& text);

} // namespace flcc::job
