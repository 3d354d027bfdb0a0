#include "engine/io/peak_file.h"

#include <array>
#include <cerrno>
#include <fstream>
#include <string_view>
#include <system_error>

#include "engine/base/error.h"
#include "engine/base/spacing.h"
#include "engine/io/format/raw_file.h"
#include "engine/io/format/reading.h"

namespace flcc::io {

namespace {

constexpr std::array<std::string_view, 22> kColumns{
    "rank",   "score", "x",     "y",        "z",        "cx",    "cy",     "cz",
    "wx",     "wy",    "wz",    "template", "rotation", "scale", "zscore", "false_positives",
    "status", "bound", "rival", "phi",      "theta",    "psi"};

std::string pointText(const base::Point& point) {
    return detail::numberText(point[0]) + " " + detail::numberText(point[1]) + " " +
           detail::numberText(point[2]);
}

/// A text as part of a comment line: spreadsheets show the line as one cell and must not take it
/// for a formula, nor end it early.
std::string commentText(const std::string& text, char separator) {
    std::string line = detail::oneLine(text);
    for (std::size_t i = 0; i < line.size(); ++i) {
        const bool ofSentence = line[i] == ',' && i + 1 < line.size() && line[i + 1] == ' ';
        if (line[i] == separator || line[i] == '"') {
            line[i] = ofSentence ? ';' : ' ';
        }
    }
    return line;
}

std::string comments(const PeakContext& context, char separator) {
    const base::Geometry geometry = base::asStated(context.geometry);
    const auto text = [&](const std::string& line) { return commentText(line, separator); };
    std::string lines = "# FLCC peaks\n";
    lines += "# scene: " + text(context.scene) + " (" + base::toString(context.sceneExtents) +
             " voxels)\n";
    for (std::size_t i = 0; i < context.templates.size(); ++i) {
        const PeakTemplate& templ = context.templates[i];
        const std::string number = context.templates.size() > 1 ? " " + std::to_string(i) : "";
        lines += "# template" + number + ": " + text(templ.source) + " (" +
                 base::toString(templ.extents) + " voxels)\n";
        if (!templ.mask.empty()) {
            lines += "# mask" + number + ": " + text(templ.mask) + "\n";
        }
    }
    if (!context.sceneMask.empty()) {
        lines += "# scene mask: " + text(context.sceneMask) + "\n";
    }
    if (!context.sceneMask.empty() || (!context.extent.empty() && context.extent != "valid")) {
        lines += "# extent: " + text(context.extent) + "; outside counts as " +
                 text(context.outside) + "; corners may lie outside the scene\n";
    }
    if (!context.operation.empty()) {
        lines += "# score: value of the operation " + text(context.operation) + "\n";
    }
    lines += "# x y z: first voxel (corner) of the placement in scene voxels; indices start at 0; "
             "x is fastest in memory\n";
    lines += "# cx cy cz: centre of the placement with sub-voxel shift in scene voxels; the centre "
             "of voxel i lies on i\n";
    lines += "# wx wy wz: the centre in world units; unit " + text(geometry.unit) + " (" +
             std::string(base::name(geometry.unitSource)) + ")" + axesText(geometry.axes) + "\n";
    lines += "# spacing: " + pointText(geometry.spacing) + "\n";
    lines += "# origin: " + pointText(geometry.origin) + "\n";
    lines += "# direction (rows):";
    for (const double value : geometry.direction) {
        lines += " " + detail::numberText(value);
    }
    lines += "\n";
    if (!context.incomplete.empty()) {
        lines += "# incomplete: " + text(context.incomplete) + "\n";
    }
    return context.audit.empty() ? lines : lines + "# audit: " + text(context.audit) + "\n";
}

std::string row(const match::Peak& peak, std::size_t rank, char separator) {
    const auto real = [](double value) { return detail::numberText(value); };
    // rotation, scale, false_positives, phi, theta and psi are not computed.
    const std::array<std::string, kColumns.size()> cells{std::to_string(rank),
                                                         real(peak.score),
                                                         std::to_string(peak.corner.x),
                                                         std::to_string(peak.corner.y),
                                                         std::to_string(peak.corner.z),
                                                         real(peak.centre[0]),
                                                         real(peak.centre[1]),
                                                         real(peak.centre[2]),
                                                         real(peak.world[0]),
                                                         real(peak.world[1]),
                                                         real(peak.world[2]),
                                                         std::to_string(peak.templ),
                                                         "",
                                                         "",
                                                         peak.zscore ? real(*peak.zscore) : "",
                                                         "",
                                                         std::string(base::name(peak.status)),
                                                         real(peak.bound),
                                                         peak.rival ? real(*peak.rival) : "",
                                                         "",
                                                         "",
                                                         ""};
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        line += (i == 0 ? "" : std::string(1, separator)) + cells[i];
    }
    return line;
}

std::string columnNames(char separator) {
    std::string line;
    for (const std::string_view column : kColumns) {
        line += (line.empty() ? "" : std::string(1, separator)) + std::string(column);
    }
    return line;
}

/// ',' for .csv, '\t' for .tsv.
char separatorOf(const std::filesystem::path& path) {
    const std::string extension = detail::extensionOf(path);
    if (extension != ".csv" && extension != ".tsv") {
        throw base::Error(base::ErrorCode::CommandLine, "cannot write " + detail::shown(path) +
                                                            ": peaks are written as .csv or .tsv");
    }
    return extension == ".csv" ? ',' : '\t';
}

} // namespace

std::string axesText(base::WorldAxes axes) {
    return axes == base::WorldAxes::Unnamed ? std::string()
           : axes == base::WorldAxes::Ras
               ? "; axes RAS: x to the right; y to the front (anterior); z up (superior)"
               : "; axes LPS: x to the left; y to the back (posterior); z up (superior)";
}

std::string peaksAsText(const std::vector<match::Peak>& peaks, const PeakContext& context,
                        char separator) {
    std::string text = comments(context, separator) + columnNames(separator) + "\n";
    for (std::size_t i = 0; i < peaks.size(); ++i) {
        text += row(peaks[i], i + 1, separator) + "\n";
    }
    return text;
}

void writePeaks(const AtomicFile& file, const std::vector<match::Peak>& peaks,
                const PeakContext& context) {
    writeText(file, peaksAsText(peaks, context, separatorOf(file.target())));
}

void writePeaks(const std::filesystem::path& path, const std::vector<match::Peak>& peaks,
                const PeakContext& context) {
    AtomicFile file(path);
    writePeaks(file, peaks, context);
    file.commit();
}

struct FramePeaks::Parts {
    std::filesystem::path target;
    char separator = ',';
    std::ofstream file;

    void put(const std::string& text) {
        errno = 0;
        file.write(text.data(), static_cast<std::streamsize>(text.size()));
        requireGood();
    }
    void requireGood() const {
        if (!file) {
            detail::failOutput(target, errno == 0 ? "it could not be written completely"
                                                  : std::generic_category().message(errno));
        }
    }
};

FramePeaks::FramePeaks(const AtomicFile& file, const PeakContext& context)
    : m_parts(std::make_unique<Parts>()) {
    m_parts->target = file.target();
    m_parts->separator = separatorOf(file.target());
    errno = 0;
    m_parts->file.open(file.temporary(), std::ios::binary | std::ios::trunc);
    const char separator = m_parts->separator;
    m_parts->put(
        comments(context, separator) +
        "# frame: number of the frame in the stack; counts from 0; rank and z are those in "
        "the frame; wz is that of the frame\n" +
        columnNames(separator) + separator + "frame\n");
}

FramePeaks::~FramePeaks() = default;

void FramePeaks::append(const std::vector<match::Peak>& peaks, int frame) {
    std::string text;
    for (std::size_t i = 0; i < peaks.size(); ++i) {
        text += row(peaks[i], i + 1, m_parts->separator) + m_parts->separator +
                std::to_string(frame) + "\n";
    }
    m_parts->put(text);
}

void FramePeaks::finish() {
    errno = 0;
    m_parts->file.close();
    m_parts->requireGood();
}

} // namespace flcc::io
