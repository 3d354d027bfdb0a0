// Which files of a folder make one image, and in which order.

#include "engine/io/reader/dicom_series.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <optional>

#include "engine/io/reader/dicom_header.h"

namespace flcc::io::detail {

namespace {

using base::Error;
using base::ErrorCode;
using base::PixelType;
using base::Point;

constexpr std::size_t kMostFiles = 100'000;

[[noreturn]] void fail(const std::string& sentence) { throw Error(ErrorCode::Input, sentence); }

std::string nameOf(const DicomFile& file) { return file.path.filename().string(); }

/// Four digits suffice to see which slices are meant.
std::string shortNumber(double value) {
    std::string text = std::to_string(std::round(value * 1e4) / 1e4);
    text.resize(text.find_last_not_of('0') + 1);
    return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Point difference(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

Point normalOf(const DicomFile& file) {
    const auto& a = file.axes;
    return {a[1] * a[5] - a[2] * a[4], a[2] * a[3] - a[0] * a[5], a[0] * a[4] - a[1] * a[3]};
}

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

/// Checks what all slices must have in common.
void requireAlike(const std::vector<DicomFile>& files) {
    const DicomFile& first = files.front();
    for (const DicomFile& file : files) {
        const std::string both = nameOf(first) + " and " + nameOf(file);
        if (file.extents != first.extents || file.components != first.components) {
            fail("the files " + both + " of one series differ in size: " +
                 base::toString(first.extents) + " and " + base::toString(file.extents));
        }
        for (std::size_t i = 0; i < 6; ++i) {
            if (std::abs(file.axes[i] - first.axes[i]) > 1e-3) {
                fail("the files " + both +
                     " of one series differ in direction, so they make no volume");
            }
        }
        for (std::size_t i = 0; i < 2; ++i) {
            if (std::abs(file.spacing[i] - first.spacing[i]) > 1e-3 * first.spacing[i]) {
                fail("the files " + both + " of one series differ in pixel spacing");
            }
        }
    }
}

/// Sorts slices along their normal and checks that they are evenly spaced. **Returns** the step
/// from one slice to the next.
Point arrange(std::vector<DicomFile>& files) {
    const Point normal = normalOf(files.front());
    const auto along = [&](const DicomFile& file) { return dot(file.position, normal); };
    std::stable_sort(files.begin(), files.end(),
                     [&](const DicomFile& a, const DicomFile& b) { return along(a) < along(b); });
    std::vector<double> distances;
    for (std::size_t i = 1; i < files.size(); ++i) {
        distances.push_back(along(files[i]) - along(files[i - 1]));
        if (!(distances.back() > 1e-4)) {
            fail("the files " + nameOf(files[i - 1]) + " and " + nameOf(files[i]) +
                 " of one series have the same position; a series of several times or echoes "
                 "cannot be read");
        }
    }
    std::vector<double> sorted = distances;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    const double usual = *middle;
    for (std::size_t i = 0; i < distances.size(); ++i) {
        if (std::abs(distances[i] - usual) > 0.05 * usual) {
            fail("slices are missing or uneven: " + nameOf(files[i]) + " and " +
                 nameOf(files[i + 1]) + " are " + shortNumber(distances[i]) +
                 " mm apart, other slices " + shortNumber(usual) + " mm");
        }
    }
    const auto steps = static_cast<double>(files.size() - 1);
    Point step = difference(files.back().position, files.front().position);
    for (double& part : step) {
        part /= steps;
    }
    for (std::size_t i = 0; i < distances.size(); ++i) {
        const Point own = difference(files[i + 1].position, files[i].position);
        const Point sideways = difference(own, step);
        if (std::sqrt(dot(sideways, sideways)) > 0.05 * usual + 0.05 * files.front().spacing[0]) {
            fail("the slices " + nameOf(files[i]) + " and " + nameOf(files[i + 1]) +
                 " are displaced sideways unlike the others");
        }
    }
    return step;
}

void setGeometry(FoundImage& image, const DicomFile& first, const Point& step) {
    const double length = std::sqrt(dot(step, step));
    image.geometry.origin = first.position;
    image.geometry.spacing = {first.spacing[0], first.spacing[1], length};
    for (std::size_t row = 0; row < 3; ++row) {
        image.geometry.direction[3 * row] = first.axes[row];
        image.geometry.direction[3 * row + 1] = first.axes[3 + row];
        image.geometry.direction[3 * row + 2] = step[row] / length;
    }
    image.unit = first.spaced ? "mm" : "";
}

/// A single file: a picture, or a volume of frames.
void setSingle(DicomSeries& series) {
    const DicomFile& file = series.files.front();
    Point step = normalOf(file);
    const double length = std::sqrt(dot(step, step));
    for (double& part : step) {
        part *= (file.spacing[2] > 0 ? file.spacing[2] : 1) / (length > 0 ? length : 1);
    }
    series.image.extents = file.extents;
    setGeometry(series.image, file, length > 0 ? step : Point{0, 0, 1});
}

void setVolume(DicomSeries& series) {
    requireAlike(series.files);
    const Point step = arrange(series.files);
    const DicomFile& first = series.files.front();
    setGeometry(series.image, first, step);
    series.image.extents = {first.extents.x, first.extents.y,
                            static_cast<std::int64_t>(series.files.size())};
    series.image.unit = "mm"; // positions are in mm
    const double straight = std::abs(dot(step, normalOf(first))) / std::sqrt(dot(step, step));
    if (straight < 1 - 1e-6) {
        series.image.notes.emplace_back("the slices are sheared: each is displaced sideways, "
                                        "which the direction of the z axis states");
    }
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

} // namespace

PixelType commonPixelType(const std::vector<DicomFile>& files) {
    const DicomFile& first = files.front();
    const bool asStored = std::all_of(files.begin(), files.end(), [&](const DicomFile& file) {
        return !file.rescaled && file.stored == first.stored;
    });
    if (asStored) {
        return first.stored;
    }
    double lowest = first.lowest;
    double highest = first.highest;
    for (const DicomFile& file : files) {
        if (!file.whole) {
            return PixelType::Float32;
        }
        lowest = std::min(lowest, file.lowest);
        highest = std::max(highest, file.highest);
    }
    const auto fits = [&]<class T>(T) {
        return lowest >= static_cast<double>(std::numeric_limits<T>::min()) &&
               highest <= static_cast<double>(std::numeric_limits<T>::max());
    };
    return fits(std::int16_t{})    ? PixelType::Int16
           : fits(std::uint16_t{}) ? PixelType::UInt16
           : fits(std::int32_t{})  ? PixelType::Int32
           : fits(std::uint32_t{}) ? PixelType::UInt32
                                   : PixelType::Float32;
}

DicomSeries findDicomSeries(const std::filesystem::path& path, const ReaderAnswer& answer) {
    const std::filesystem::path folder =
        std::filesystem::is_directory(path) ? path : path.parent_path();
    const auto all = filesOf(folder.empty() ? "." : folder);
    std::int64_t damaged = 0;
    DicomSeries series;
    series.files = std::filesystem::is_directory(path) ? onlySeries(all, answer, damaged)
                                                       : seriesOf(path, all, answer, damaged);
    requireReadable(series.files);
    if (series.files.size() == 1) {
        setSingle(series);
    } else {
        setVolume(series);
    }
    series.image.pixel = commonPixelType(series.files);
    series.image.components = series.files.front().components;
    describe(series, static_cast<std::int64_t>(all.size() - series.files.size()), damaged);
    return series;
}

} // namespace flcc::io::detail
