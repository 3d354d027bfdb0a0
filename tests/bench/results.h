#pragma once

#include <filesystem>
#include <string>

namespace flcc::bench {

/// RESULTS.md, made from the files *.json of `folder` in the order of their names.
///
/// A file is one set of figures: "section", "command" (repeats it), "machine", "date", "facts"
/// (sentences) and "rows". A row may have a section, machine and date of its own, and has
/// - in sections that compare times: "what", "type", "scene", "content" (noise, a picture),
///   "template", "goal" (least ratio) or "goal_most", "peer", "ratio", "least", "most" (of the
///   runs), "ours" and its "unit" (ms if not given), each where it applies. Rows of a file with the
///   same "line" become one line of the page.
/// - in other sections "what" and "figure", or "what", "count" and "failing".
///
/// A file with "device" holds the rows of `flcc-cli bench` ("flcc") and of the peers on a GPU
/// ("peers"); all of them become one table.
///
/// **Errors.** std::runtime_error with the file's name if a file cannot be read.
[[nodiscard]] std::string resultsPage(const std::filesystem::path& folder);

} // namespace flcc::bench
