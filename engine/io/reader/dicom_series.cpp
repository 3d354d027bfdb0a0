// Which files of a folder make one image.

#include "engine/io/reader/dicom_series.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <optional>

#include "engine/io/reader/dicom_elements.h"
#include "engine/io/reader/dicom_header.h"

namespace flcc::io::detail {

namespace {

using base::Error;
using base::ErrorCode;
using base::PixelType;

constexpr std::size_t kMostFiles = 100'000;

[[noreturn]] void fail(const std::string& sentence) { throw Error(ErrorCode::Input, sentence); }

std::string nameOf(const DicomFile& file) { return file.path.filename().string(); }

/// The regular files of the folder in the order of their names.
std::vector<std::filesystem::path> filesOf(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.is_regular_file()) {
            files.push_back(entry.path());
        }
        if (files.size() > kMostFiles) {
            fail("the folder holds more than " + std::to_string(kMostFiles) + " files");
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// The pictures of a folder. `damaged` counts DICOM files whose header cannot be read: nobody knows
/// whether they belong to the series.
std::vector<DicomFile> picturesOf(const std::vector<std::filesystem::path>& files,
                                  const ReaderAnswer& answer, std::int64_t& damaged) {
    std::vector<DicomFile> pictures;
    for (const std::filesystem::path& path : files) {
        try {
            if (isDicom(path)) {
                answer.entering(path.filename().string());
                if (auto picture = readDicomHeader(path)) {
                    pictures.push_back(std::move(*picture));
                }
            }
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception&) {
            ++damaged;
        }
    }
    return pictures;
}

using SeriesFiles = std::map<std::string, std::vector<const DicomFile*>>;

SeriesFiles seriesIn(const std::vector<DicomFile>& pictures) {
    SeriesFiles series;
    for (const DicomFile& picture : pictures) {
        series[picture.series].push_back(&picture);
    }
    return series;
}

/// The series as texts of ReaderText::Choice.
std::vector<std::string> choicesOf(const std::vector<DicomFile>& pictures) {
    std::vector<std::string> choices;
    for (const auto& [uid, files] : seriesIn(pictures)) {
        const DicomFile& first = *files.front();
        choices.push_back(nameOf(first) + "\n" +
                          (first.description.empty() ? uid : first.description) + "\n" +
                          first.modality + "\n" + std::to_string(first.extents.x) + "x" +
                          std::to_string(first.extents.y) + "\n" + std::to_string(files.size()));
    }
    return choices;
}

/// "2 series: "T1" (MR, 24 files, one is a.dcm), ...".
std::string listOf(const std::vector<DicomFile>& pictures) {
    constexpr std::size_t kMostListed = 10;
    const SeriesFiles series = seriesIn(pictures);
    std::string text = std::to_string(series.size()) + " series: ";
    std::size_t listed = 0;
    for (const auto& [uid, files] : series) {
        if (++listed > kMostListed) {
            text += ", ...";
            break;
        }
        const DicomFile& first = *files.front();
        text += (listed > 1 ? ", \"" : "\"") +
                (first.description.empty() ? uid : first.description) + "\" (" +
                (first.modality.empty() ? "" : first.modality + ", ") +
                std::to_string(files.size()) + (files.size() == 1 ? " file, " : " files, one is ") +
                nameOf(first) + ")";
    }
    return text;
}

bool hasSeveralSeries(const std::vector<DicomFile>& pictures) {
    return std::any_of(pictures.begin(), pictures.end(), [&](const DicomFile& picture) {
        return picture.series != pictures.front().series;
    });
}

/// The pictures of a folder that holds a single series.
std::vector<DicomFile> onlySeries(const std::vector<std::filesystem::path>& all,
                                  const ReaderAnswer& answer, std::int64_t& damaged) {
    std::vector<DicomFile> pictures = picturesOf(all, answer, damaged);
    if (pictures.empty()) {
        fail("it is a folder without DICOM pictures");
    }
    if (hasSeveralSeries(pictures)) {
        throw SeveralImages("holds " + listOf(pictures) + "; choose one: open a file of it",
                            choicesOf(pictures));
    }
    return pictures;
}

/// The pictures of the series of one file. A file of several frames, or without a position, is
/// alone.
std::vector<DicomFile> seriesOf(const std::filesystem::path& path,
                                const std::vector<std::filesystem::path>& all,
                                const ReaderAnswer& answer, std::int64_t& damaged) {
    answer.entering(path.filename().string());
    const std::optional<DicomFile> named = readDicomHeader(path);
    if (!named) {
        fail("it is a DICOM file without a picture");
    }
    if (named->series.empty() || named->extents.z > 1 || !named->placed) {
        return {*named};
    }
    std::vector<DicomFile> pictures = picturesOf(all, answer, damaged);
    std::erase_if(pictures, [&](const DicomFile& file) { return file.series != named->series; });
    if (pictures.empty()) {
        fail("it was removed while the folder was read");
    }
    return pictures;
}

/// Throws for files that cannot be read, or that make no volume.
void requireReadable(const std::vector<DicomFile>& files) {
    for (const DicomFile& file : files) {
        if (!file.fault.empty()) {
            fail(file.fault);
        }
    }
    for (const DicomFile& file : files) {
        const DicomFile& first = files.front();
        if (file.extents != first.extents || file.components != first.components) {
            fail("the files " + nameOf(first) + " and " + nameOf(file) +
                 " of one series differ in size: " + base::toString(first.extents) + " and " +
                 base::toString(file.extents));
        }
    }
    const bool loose = std::any_of(files.begin(), files.end(), [](const DicomFile& file) {
        return !file.placed || file.extents.z > 1;
    });
    if (files.size() > 1 && loose) {
        throw Error(ErrorCode::Problem,
                    "holds a series of " + std::to_string(files.size()) +
                        " pictures without positions or with several frames each, which make no "
                        "volume; open one of its files, for example " +
                        nameOf(files.front()));
    }
}

void describe(DicomSeries& series, std::int64_t skipped, std::int64_t damaged) {
    FoundImage& image = series.image;
    image.skippedFiles = skipped;
    if (skipped > 0) {
        image.notes.push_back(std::to_string(skipped) +
                              (skipped == 1 ? " other file of the folder was skipped"
                                            : " other files of the folder were skipped"));
    }
    if (damaged > 0) {
        image.notes.push_back(
            std::to_string(damaged) +
            " of the skipped files are damaged DICOM files; if they belong to the "
            "series, the volume lacks their slices");
    }
    for (const DicomFile& file : series.files) {
        image.files.push_back(nameOf(file));
    }
    const DicomFile& first = series.files.front();
    if (!first.modality.empty()) {
        image.metadata["modality"] = first.modality;
    }
    if (!first.description.empty()) {
        image.metadata["series"] = first.description;
    }
}

/// Notes on the spacing and on what the values mean.
void describeValues(DicomSeries& series) {
    FoundImage& image = series.image;
    double least = series.files.front().frames.front().slope;
    double most = least;
    double privateSlope = 0;
    std::string axes;
    std::string spacing;
    bool light = false;
    bool table = false;
    for (const DicomFile& file : series.files) {
        for (const DicomFrame& frame : file.frames) {
            least = std::min(least, frame.slope);
            most = std::max(most, frame.slope);
        }
        axes = axes.empty() ? file.axesNote : axes;
        spacing = spacing.empty() ? file.spacingNote : spacing;
        privateSlope = privateSlope == 0 ? file.privateSlope : privateSlope;
        light = light || file.lightIsLow;
        table = table || file.hasTable;
    }
    for (const std::string& note : {axes, spacing}) {
        if (!note.empty()) {
            image.notes.push_back(note);
        }
    }
    if (image.unit == "mm" && !series.files.front().frames.front().spaced) {
        image.notes.emplace_back("its positions are in mm, but the distance of its pixels is not "
                                 "stated; 1 mm was assumed");
    }
    const std::string range = least == most
                                  ? "the slope " + shortNumber(least)
                                  : "slopes of " + shortNumber(least) + " to " + shortNumber(most);
    if (least != most) {
        image.notes.push_back("each slice has a slope and an intercept of its own, which were "
                              "applied: " +
                              range);
    }
    if (privateSlope != 0) {
        image.notes.push_back("the values are those of " + range +
                              "; the private scale slope of Philips, " + shortNumber(privateSlope) +
                              ", was not applied");
    }
    if (light) {
        image.notes.emplace_back("small values are meant bright (MONOCHROME1); the values are "
                                 "those stored");
    }
    if (table) {
        image.notes.emplace_back("a table of the file says what its values mean (modality LUT); "
                                 "it was not applied");
    }
}

} // namespace

PixelType commonPixelType(const std::vector<DicomFile>& files) {
    const DicomFile& first = files.front();
    bool asStored = true;
    bool whole = true;
    double lowest = std::numeric_limits<double>::infinity();
    double highest = -lowest;
    for (const DicomFile& file : files) {
        asStored = asStored && file.stored == first.stored;
        for (const DicomFrame& frame : file.frames) {
            asStored = asStored && frame.slope == 1 && frame.intercept == 0;
            whole = whole && base::isInteger(file.stored) && frame.slope == 1 &&
                    frame.intercept == std::floor(frame.intercept);
            lowest = std::min(lowest, file.lowest + frame.intercept);
            highest = std::max(highest, file.highest + frame.intercept);
        }
    }
    if (asStored || !whole) {
        return asStored ? first.stored : PixelType::Float32;
    }
    const auto fits = [&]<class T>(T) {
        return lowest >= static_cast<double>(std::numeric_limits<T>::min()) &&
               highest <= static_cast<double>(std::numeric_limits<T>::max());
    };
    return fits(std::int16_t{})    ? PixelType::Int16
           : fits(std::uint16_t{}) ? PixelType::UInt16
           : fits(std::int32_t{})  ? PixelType::Int32
           : fits(std::uint32_t{}) ? PixelType::UInt32
                                   : PixelType::Int64;
}

DicomSeries findDicomSeries(const std::filesystem::path& path, int frame,
                            const ReaderAnswer& answer) {
    const std::filesystem::path folder =
        std::filesystem::is_directory(path) ? path : path.parent_path();
    const auto all = filesOf(folder.empty() ? "." : folder);
    std::int64_t damaged = 0;
    DicomSeries series;
    series.files = std::filesystem::is_directory(path) ? onlySeries(all, answer, damaged)
                                                       : seriesOf(path, all, answer, damaged);
    requireReadable(series.files);
    arrangeSlices(series, frame);
    series.image.pixel = commonPixelType(series.files);
    series.image.components = series.files.front().components;
    describe(series, static_cast<std::int64_t>(all.size() - series.files.size()), damaged);
    describeValues(series);
    return series;
}

} // namespace flcc::io::detail
