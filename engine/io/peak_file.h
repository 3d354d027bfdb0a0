#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/geometry.h"
#include "engine/io/atomic_file.h"
#include "engine/io/list_file.h"
#include "engine/match/decision.h"
#include "engine/match/peaks.h"

namespace flcc::io {

/// A template whose peaks are in the list.
struct PeakTemplate {
    std::string source; ///< path, or the crop box
    base::Extents extents;
    std::string mask{};                     ///< path of its mask; may be empty
    std::optional<base::Point> reference{}; ///< as ListedPosition::reference
    std::string species{};                  ///< what it is of; empty: the name of its file
};

/// Context of a list of peaks, written to the comment lines of the file.
struct PeakContext {
    std::string scene;                   ///< path or sample name
    std::vector<PeakTemplate> templates; ///< in the order of their numbers
    std::string sceneMask{};             ///< path; may be empty
    base::Extents sceneExtents;
    base::Geometry geometry;  ///< geometry of the scene; its axes are those of the peaks' positions
    std::string extent{};     ///< "valid", "same", "full"
    std::string outside{};    ///< "zero", "eibl", "overlap"; empty if no panel can leave the scene
    std::string operation{};  ///< "ssd"; empty for lcc
    std::string audit{};      ///< result of the run's self-audit; may be empty
    std::string incomplete{}; ///< why peaks may be missing; empty if none are
    std::string sha256{};     ///< of the file of the scene; may be empty
    ListUnknowns unknowns{};  ///< facts on the tilt series, for formats that state them
    bool poses = false;       ///< of a search over poses: peaks have angles
};

/// The peaks with all that lists of any format write.
[[nodiscard]] PositionList peakList(const std::vector<match::Peak>& peaks,
                                    const PeakContext& context);
/// The same with what was decided on them, one for each peak.
[[nodiscard]] PositionList peakList(const std::vector<match::Peak>& peaks,
                                    const std::vector<match::Decision>& decisions,
                                    const PeakContext& context);

/// The list as CSV (`separator` ',') or TSV ('\t'). Comment lines begin with '#' and state index
/// base, axis order, corner and centre, unit, spacing and origin. Then follow one line of column
/// names and one row for each peak. Numbers have a decimal point and read back as the same double;
/// a value that is not computed is an empty field. **Cost**: O(peaks).
[[nodiscard]] std::string peaksAsText(const std::vector<match::Peak>& peaks,
                                      const PeakContext& context, char separator);

/// Writes a list to the temporary name of `file` and reads it back; the caller calls commit().
/// **Errors**: CommandLine for an extension that does not say the format; as writeList.
void writePeaks(const AtomicFile& file, const std::vector<match::Peak>& peaks,
                const PeakContext& context, ListFormat format = ListFormat::Auto);

/// Writes the list to `path`, completely or not at all. Otherwise as above.
void writePeaks(const std::filesystem::path& path, const std::vector<match::Peak>& peaks,
                const PeakContext& context, ListFormat format = ListFormat::Auto);

/// Throws for a format that does not say of which frame a position is. **Errors**: CommandLine.
void requireFrameFormat(ListFormat format, const std::filesystem::path& file);

/// Writes the peaks of the frames of a stack as one list. Lists of this program have one more
/// column at the end, `frame`; the ranks of each frame begin with 1. In other formats the frame is
/// z, the slice of the stack.
class FramePeaks {
  public:
    /// Writes the comments and the names of the columns to the temporary name of `file`, which must
    /// outlive the list; the caller calls commit() after finish(). `context` is that of the whole
    /// stack. **Errors**: as writePeaks.
    FramePeaks(const AtomicFile& file, const PeakContext& context,
               ListFormat format = ListFormat::Auto);
    ~FramePeaks();
    FramePeaks(const FramePeaks&) = delete;
    FramePeaks& operator=(const FramePeaks&) = delete;

    /// Keeps the peaks in memory, unless the list is a CSV or TSV. **Errors**: Output.
    void append(const std::vector<match::Peak>& peaks, int frame);
    /// Closes the file. Returns sentences on what the format cannot hold. **Errors**: as writeList.
    [[nodiscard]] std::vector<std::string> finish();

  private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

} // namespace flcc::io
