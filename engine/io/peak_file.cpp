#include "engine/io/peak_file.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/io/format/raw_file.h"
#include "engine/io/format/reading.h"
#include "engine/io/lists/peak_columns.h"

namespace flcc::io {

namespace {

std::vector<std::string> comments(const PeakContext& context) {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < context.templates.size(); ++i) {
        const PeakTemplate& templ = context.templates[i];
        const std::string number = context.templates.size() > 1 ? " " + std::to_string(i) : "";
        lines.push_back("template" + number + ": " + base::storedText(templ.source) + " (" +
                        base::toString(templ.extents) + " voxels)");
        if (templ.reference) {
            const base::Point& way = *templ.reference;
            lines.push_back("resampled " + std::to_string(i) + ": reference voxel " +
                            detail::numberText(way[0]) + " " + detail::numberText(way[1]) + " " +
                            detail::numberText(way[2]) + " from the centre");
        }
        if (!templ.species.empty()) {
            lines.push_back(speciesComment(i, templ.species));
        }
        if (!templ.mask.empty()) {
            lines.push_back("mask" + number + ": " + base::storedText(templ.mask));
        }
    }
    if (!context.sceneMask.empty()) {
        lines.push_back("scene mask: " + base::storedText(context.sceneMask));
    }
    if (!context.sceneMask.empty() || (!context.extent.empty() && context.extent != "valid")) {
        lines.push_back("extent: " + context.extent + "; outside counts as " + context.outside +
                        "; corners may lie outside the scene");
    }
    if (!context.operation.empty()) {
        lines.push_back("score: value of the operation " + context.operation);
    }
    lines.emplace_back("x y z: first voxel (corner) of the placement in scene voxels; indices "
                       "start at 0; x is fastest in memory");
    lines.emplace_back(
        "cx cy cz: geometric centre of the placement with sub-voxel shift in scene "
        "voxels; the centre of voxel i lies on i; error_x error_y error_z: its "
        "standard errors in voxels; placed_by: pixels, surface, axes or voxel; made_of: "
        "1 where the template is an average that a box at this place went into");
    if (context.poses) {
        lines.emplace_back(
            "rotation: degrees in the plane, counter-clockwise where y points down; phi "
            "theta psi: rot, tilt and psi of RELION in degrees, the template is turned "
            "by Rz(-psi) Ry(-tilt) Rz(-rot); mirror: 1 if it was mirrored along x first; "
            "refined_score: of the angles, the scale and the centre as they stand here, by which "
            "the list is ordered; score: of the nearest pose that was searched; error_rotation: "
            "standard error of the angle in degrees, the largest about an axis; scale_end: 1 where "
            "the best scale may lie beyond those searched; "
            "polarity: dark where minus the template was found, of a search for both");
    }
    if (!context.incomplete.empty()) {
        lines.push_back("incomplete: " + context.incomplete);
    }
    if (!context.audit.empty()) {
        lines.push_back("audit: " + context.audit);
    }
    return lines;
}

/// Csv or Tsv.
ListFormat tableFormat(char separator) {
    return separator == ',' ? ListFormat::Csv : ListFormat::Tsv;
}

} // namespace

PositionList peakList(const std::vector<match::Peak>& peaks, const PeakContext& context) {
    PositionList list;
    list.place = {.scene = context.scene,
                  .sha256 = context.sha256,
                  .extents = context.sceneExtents,
                  .geometry = context.geometry,
                  .unknowns = context.unknowns};
    list.comments = comments(context);
    list.columns = peakColumns();
    for (const match::Peak& peak : peaks) {
        const auto number = static_cast<std::size_t>(peak.templ);
        ListedPosition& position = list.positions.emplace_back();
        position.centre = peak.centre;
        position.score = peak.score;
        if (peak.pose) {
            position.angles = rotation::eulerOf(peak.pose->turn);
            position.mirrored = peak.pose->mirrored;
            position.scale = peak.pose->scale;
        }
        if (number < context.templates.size()) {
            position.box = context.templates[number].extents;
            position.reference = context.templates[number].reference;
        }
        position.cells = detail::cellsOf(peak, list.positions.size());
    }
    nameSpecies(list);
    return list;
}

PositionList peakList(const std::vector<match::Peak>& peaks,
                      const std::vector<match::Decision>& decisions, const PeakContext& context) {
    PositionList list = peakList(peaks, context);
    list.columns.push_back({std::string(kDecisionColumn)});
    for (std::size_t i = 0; i < peaks.size(); ++i) {
        list.positions[i].decision = decisions[i];
        list.positions[i].cells.emplace_back(match::name(decisions[i]));
    }
    return list;
}

std::string peaksAsText(const std::vector<match::Peak>& peaks, const PeakContext& context,
                        char separator) {
    return listText(peakList(peaks, context), tableFormat(separator));
}

void writePeaks(const AtomicFile& file, const std::vector<match::Peak>& peaks,
                const PeakContext& context, ListFormat format) {
    writeList(file, peakList(peaks, context),
              chosenListFormat(format, file.target(), "--peaks-format"));
}

void writePeaks(const std::filesystem::path& path, const std::vector<match::Peak>& peaks,
                const PeakContext& context, ListFormat format) {
    AtomicFile file(path);
    writePeaks(file, peaks, context, format);
    file.commit();
}

struct FramePeaks::Parts {
    const AtomicFile& target;
    ListFormat format = ListFormat::Csv;
    PeakContext context;
    std::ofstream file; ///< of a table
    PositionList list;  ///< of other formats, which are written as a whole

    /// Tables are written frame by frame, so that no list of all peaks is in memory.
    [[nodiscard]] bool isTable() const {
        return format == ListFormat::Csv || format == ListFormat::Tsv;
    }
    void put(const std::string& text) {
        errno = 0;
        file.write(text.data(), static_cast<std::streamsize>(text.size()));
        requireGood();
    }
    void requireGood() const {
        if (!file) {
            detail::failOutput(target.target(), errno);
        }
    }
};

void requireFrameFormat(ListFormat format, const std::filesystem::path& file) {
    const ListFormat chosen = chosenListFormat(format, file, "--peaks-format");
    if (infoOf(chosen).frames != ListFrames::None) {
        return;
    }
    std::string able;
    for (const ListFormatInfo& info : listFormats()) {
        if (info.frames != ListFrames::None) {
            able += (able.empty() ? "" : ", ") + std::string(info.name);
        }
    }
    throw base::Error(
        base::ErrorCode::CommandLine,
        "cannot write " + detail::shown(file) + ": a list of format " + std::string(name(chosen)) +
            " cannot say which frame a peak is of; choose one of " + able + " by --peaks-format");
}

FramePeaks::FramePeaks(const AtomicFile& file, const PeakContext& context, ListFormat format)
    : m_parts(new Parts{.target = file,
                        .format = chosenListFormat(format, file.target(), "--peaks-format"),
                        .context = context,
                        .file = {},
                        .list = peakList({}, context)}) {
    requireFrameFormat(format, file.target());
    PositionList& list = m_parts->list;
    if (infoOf(m_parts->format).frames == ListFrames::Column) {
        list.comments.emplace_back("frame: number of the frame in the stack; counts from 0; rank "
                                   "and z are those in the frame; wz is that of the frame");
        list.columns.push_back({"frame"});
    }
    if (m_parts->isTable()) {
        errno = 0;
        m_parts->file.open(file.temporary(), std::ios::binary | std::ios::trunc);
        m_parts->put(listText(list, m_parts->format));
    }
}

FramePeaks::~FramePeaks() = default;

void FramePeaks::append(const std::vector<match::Peak>& peaks, int frame) {
    Parts& parts = *m_parts;
    if (!parts.isTable()) {
        const bool column = infoOf(parts.format).frames == ListFrames::Column;
        for (ListedPosition& position : peakList(peaks, parts.context).positions) {
            if (column) {
                position.cells.push_back(std::to_string(frame));
            } else {
                position.centre[2] = frame;
            }
            parts.list.positions.push_back(std::move(position));
        }
        return;
    }
    const char separator = parts.format == ListFormat::Csv ? ',' : '\t';
    std::string text;
    for (std::size_t i = 0; i < peaks.size(); ++i) {
        for (const std::string& cell : detail::cellsOf(peaks[i], i + 1)) {
            text += cell + separator;
        }
        text += std::to_string(frame) + "\n";
    }
    parts.put(text);
}

std::vector<std::string> FramePeaks::finish() {
    if (!m_parts->isTable()) {
        writeList(m_parts->target, m_parts->list, m_parts->format);
        return listNotes(m_parts->list, m_parts->format);
    }
    errno = 0;
    m_parts->file.close();
    m_parts->requireGood();
    return {};
}

} // namespace flcc::io
