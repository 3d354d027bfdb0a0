// Which frames make a volume, and in which order.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "engine/io/reader/dicom_elements.h"
#include "engine/io/reader/dicom_series.h"

namespace flcc::io::detail {

namespace {

using base::Error;
using base::ErrorCode;
using base::Point;

[[noreturn]] void fail(const std::string& sentence) { throw Error(ErrorCode::Input, sentence); }

double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Point difference(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

Point normalOf(const DicomFrame& frame) {
    const auto& a = frame.axes;
    return {a[1] * a[5] - a[2] * a[4], a[2] * a[3] - a[0] * a[5], a[0] * a[4] - a[1] * a[3]};
}

/// Names and looks up the frames of a series.
class Frames {
  public:
    explicit Frames(const std::vector<DicomFile>& files) : m_files(files) {}

    [[nodiscard]] const DicomFrame& at(const DicomSlice& slice) const {
        return m_files[slice.file].frames[slice.frame];
    }
    [[nodiscard]] std::string nameOf(const DicomSlice& slice) const {
        return m_files.size() > 1 ? m_files[slice.file].path.filename().string()
                                  : std::to_string(slice.frame);
    }
    /// "the files a and b"; "the frames 0 and 3", counted from 0.
    [[nodiscard]] std::string pair(const DicomSlice& a, const DicomSlice& b) const {
        return (m_files.size() > 1 ? "the files " : "the frames ") + nameOf(a) + " and " +
               nameOf(b);
    }
    /// "the files a and b of one series"; "the frames 0 and 3".
    [[nodiscard]] std::string both(const DicomSlice& a, const DicomSlice& b) const {
        return pair(a, b) + (m_files.size() > 1 ? " of one series" : "");
    }
    [[nodiscard]] double along(const DicomSlice& slice, const Point& normal) const {
        return dot(at(slice).position, normal);
    }

  private:
    const std::vector<DicomFile>& m_files;
};

using Slices = std::vector<DicomSlice>;

/// Checks what all slices of a volume must have in common.
void requireAlike(const Frames& frames, const Slices& slices) {
    const DicomFrame& first = frames.at(slices.front());
    for (const DicomSlice& slice : slices) {
        const DicomFrame& frame = frames.at(slice);
        const std::string both = frames.both(slices.front(), slice);
        for (std::size_t i = 0; i < 6; ++i) {
            if (std::abs(frame.axes[i] - first.axes[i]) > 1e-3) {
                fail(both + " differ in direction, so they make no volume");
            }
        }
        for (std::size_t i = 0; i < 2; ++i) {
            if (std::abs(frame.spacing[i] - first.spacing[i]) > 1e-3 * first.spacing[i]) {
                fail(both + " differ in pixel spacing, so they make no volume");
            }
        }
    }
}

void sortAlong(const Frames& frames, Slices& slices) {
    const Point normal = normalOf(frames.at(slices.front()));
    std::stable_sort(slices.begin(), slices.end(), [&](const DicomSlice& a, const DicomSlice& b) {
        return frames.along(a, normal) < frames.along(b, normal);
    });
}

/// Least distance of two slices.
constexpr double kApart = 1e-4;

/// Two neighbours of sorted slices that lie at one place; nothing if there are none.
std::optional<std::size_t> doubled(const Frames& frames, const Slices& slices) {
    const Point normal = normalOf(frames.at(slices.front()));
    for (std::size_t i = 1; i < slices.size(); ++i) {
        if (!(frames.along(slices[i], normal) - frames.along(slices[i - 1], normal) > kApart)) {
            return i - 1;
        }
    }
    return std::nullopt;
}

/// Checks that sorted slices are evenly spaced. **Returns** the step from one slice to the next.
Point stepOf(const Frames& frames, const Slices& slices) {
    const Point normal = normalOf(frames.at(slices.front()));
    std::vector<double> distances;
    for (std::size_t i = 1; i < slices.size(); ++i) {
        distances.push_back(frames.along(slices[i], normal) - frames.along(slices[i - 1], normal));
    }
    std::vector<double> sorted = distances;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    const double usual = *middle;
    for (std::size_t i = 0; i < distances.size(); ++i) {
        if (std::abs(distances[i] - usual) > 0.05 * usual) {
            fail("slices are missing or uneven: " + frames.pair(slices[i], slices[i + 1]) +
                 " are " + shortNumber(distances[i]) + " mm apart, other slices " +
                 shortNumber(usual) + " mm");
        }
    }
    const auto steps = static_cast<double>(slices.size() - 1);
    Point step = difference(frames.at(slices.back()).position, frames.at(slices.front()).position);
    for (double& part : step) {
        part /= steps;
    }
    for (std::size_t i = 0; i < distances.size(); ++i) {
        const Point own =
            difference(frames.at(slices[i + 1]).position, frames.at(slices[i]).position);
        const Point sideways = difference(own, step);
        if (std::sqrt(dot(sideways, sideways)) >
            0.05 * usual + 0.05 * frames.at(slices.front()).spacing[0]) {
            fail(frames.pair(slices[i], slices[i + 1]) +
                 " are displaced sideways unlike the others");
        }
    }
    return step;
}

/// Numbers in the order of numbers, before texts.
struct ByValue {
    bool operator()(const std::string& a, const std::string& b) const {
        double x = 0;
        double y = 0;
        const auto isNumber = [](const std::string& text, double& number) {
            const auto [end, error] =
                std::from_chars(text.data(), text.data() + text.size(), number);
            return error == std::errc{} && end == text.data() + text.size();
        };
        const bool first = isNumber(a, x);
        const bool second = isNumber(b, y);
        return first && second ? x < y : first != second ? first : a < b;
    }
};
struct ByValues {
    bool operator()(const std::vector<std::string>& a, const std::vector<std::string>& b) const {
        return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), ByValue{});
    }
};

std::string markOf(const DicomFrame& frame, const std::string& title) {
    for (const auto& [name, value] : frame.marks) {
        if (name == title) {
            return value;
        }
    }
    return {};
}

/// Volumes that lie at the same places, and what tells them apart.
struct Sets {
    std::vector<Slices> volumes;
    std::string text; ///< "echo time 4.6, 9.2"
};

/// Divides slices by the values of their marks; nothing if that makes no volumes of equal size
/// without doubled slices.
std::optional<Sets> divided(const Frames& frames, const Slices& slices,
                            const std::vector<std::string>& titles) {
    constexpr std::size_t kMostListed = 8;
    std::map<std::vector<std::string>, Slices, ByValues> sets;
    for (const DicomSlice& slice : slices) {
        std::vector<std::string> values;
        for (const std::string& title : titles) {
            values.push_back(markOf(frames.at(slice), title));
        }
        sets[values].push_back(slice);
    }
    Sets found;
    const std::size_t size = sets.begin()->second.size();
    for (auto& [values, set] : sets) {
        sortAlong(frames, set);
        if (set.size() != size || doubled(frames, set)) {
            return std::nullopt;
        }
        if (found.volumes.size() < kMostListed) {
            found.text += found.volumes.empty() ? "" : ", ";
            for (std::size_t i = 0; i < titles.size(); ++i) {
                const bool first = found.volumes.empty() || titles.size() > 1;
                found.text += (i > 0 ? " " : "") + (first ? titles[i] + " " : std::string()) +
                              (values[i].empty() ? "none" : values[i]);
            }
        } else if (found.volumes.size() == kMostListed) {
            found.text += ", ...";
        }
        found.volumes.push_back(std::move(set));
    }
    return found;
}

/// The titles of marks that differ between slices.
std::vector<std::string> varyingMarks(const Frames& frames, const Slices& slices) {
    std::vector<std::string> titles;
    for (const DicomSlice& slice : slices) {
        for (const auto& [title, value] : frames.at(slice).marks) {
            if (markOf(frames.at(slices.front()), title) != value &&
                std::find(titles.begin(), titles.end(), title) == titles.end()) {
                titles.push_back(title);
            }
        }
    }
    return titles;
}

/// Divides slices of which several lie at one place. **Errors**: Input.
Sets separated(const Frames& frames, const Slices& slices, std::size_t at) {
    const std::vector<std::string> titles = varyingMarks(frames, slices);
    for (const std::string& title : titles) {
        if (auto sets = divided(frames, slices, {title})) {
            return *sets;
        }
    }
    for (std::size_t i = 0; i < titles.size(); ++i) {
        for (std::size_t j = i + 1; j < titles.size(); ++j) {
            if (auto sets = divided(frames, slices, {titles[i], titles[j]})) {
                return *sets;
            }
        }
    }
    if (auto sets = divided(frames, slices, titles); sets && titles.size() > 2) {
        return *sets;
    }
    // All at one place: pictures of one slice in their order.
    const Point normal = normalOf(frames.at(slices.front()));
    const double reach = frames.along(slices.back(), normal) - frames.along(slices.front(), normal);
    if (std::abs(reach) <= kApart) {
        Slices ordered = slices;
        std::stable_sort(
            ordered.begin(), ordered.end(), [&](const DicomSlice& a, const DicomSlice& b) {
                return a.file == b.file ? a.frame < b.frame
                                        : ByValue{}(frames.at(a).number, frames.at(b).number);
            });
        Sets sets;
        for (const DicomSlice& slice : ordered) {
            sets.volumes.push_back({slice});
        }
        sets.text = "pictures of one slice in their order";
        return sets;
    }
    std::string looked;
    for (const std::string& title : titles) {
        looked += (looked.empty() ? " (looked at: " : ", ") + title;
    }
    fail(frames.both(slices[at], slices[at + 1]) +
         " have the same position, and no time, echo or other mark divides all of them into "
         "volumes" +
         looked + (looked.empty() ? "" : ")") + "; divide them into folders or files");
}

/// The stacks of a series, each a set of volumes at its own places.
std::vector<Slices> stacksOf(const Frames& frames, const Slices& slices) {
    std::map<std::string, Slices, ByValue> stacks;
    for (const DicomSlice& slice : slices) {
        stacks[frames.at(slice).stack].push_back(slice);
    }
    std::vector<Slices> found;
    for (auto& [name, stack] : stacks) {
        found.push_back(std::move(stack));
    }
    return found;
}

void setGeometry(FoundImage& image, const DicomFrame& first, const Point& step) {
    const double length = std::sqrt(dot(step, step));
    image.geometry.origin = first.position;
    image.geometry.spacing = {first.spacing[0], first.spacing[1], length};
    for (std::size_t row = 0; row < 3; ++row) {
        image.geometry.direction[3 * row] = first.axes[row];
        image.geometry.direction[3 * row + 1] = first.axes[3 + row];
        image.geometry.direction[3 * row + 2] = step[row] / length;
    }
}

/// One slice, or slices whose places the file does not say.
void setThick(FoundImage& image, const DicomFrame& frame) {
    Point step = normalOf(frame);
    const double length = std::sqrt(dot(step, step));
    for (double& part : step) {
        part *= (frame.spacing[2] > 0 ? frame.spacing[2] : 1) / (length > 0 ? length : 1);
    }
    setGeometry(image, frame, length > 0 ? step : Point{0, 0, 1});
    image.unit = frame.spaced ? "mm" : "";
}

void setVolume(FoundImage& image, const Frames& frames, const Slices& slices) {
    const DicomFrame& first = frames.at(slices.front());
    image.extents.z = static_cast<std::int64_t>(slices.size());
    if (slices.size() == 1) {
        setThick(image, first);
        return;
    }
    const Point step = stepOf(frames, slices);
    setGeometry(image, first, step);
    image.unit = "mm"; // positions are in mm
    const double straight = std::abs(dot(step, normalOf(first))) / std::sqrt(dot(step, step));
    if (straight < 1 - 1e-6) {
        image.notes.emplace_back("the slices are sheared: each is displaced sideways, "
                                 "which the direction of the z axis states");
    }
}

/// A file of frames without places.
void setUnplaced(DicomSeries& series, int frame) {
    const DicomFile& file = series.files.front();
    const std::size_t count = file.frames.size();
    FoundImage& image = series.image;
    setThick(image, file.frames.front());
    if (file.apart) {
        image.extents.z = 1;
        image.frames = static_cast<int>(count);
        series.slices = {{0, static_cast<std::size_t>(std::clamp(frame, 0, image.frames - 1))}};
        image.notes.push_back(file.film ? "its frames follow each other in time"
                                        : "its frames are views or times of their own");
        return;
    }
    image.extents.z = static_cast<std::int64_t>(count);
    for (std::size_t i = 0; i < count; ++i) {
        series.slices.push_back({0, i});
    }
    image.notes.push_back("the file does not say where its " + std::to_string(count) +
                          " frames lie; they were taken as slices in their order, " +
                          shortNumber(image.geometry.spacing[2]) + " apart");
}

/// Says what the frames of the image are.
void describeSets(FoundImage& image, std::size_t stacks, const Sets& sets) {
    const std::string count = "its " + std::to_string(image.frames) + " frames are ";
    if (stacks > 1) {
        image.notes.push_back(count + std::to_string(stacks) +
                              " stacks of slices, each with a place of its own" +
                              (sets.text.empty() ? "" : ", and in each stack " + sets.text));
    } else if (image.frames > 1) {
        image.notes.push_back(count + sets.text);
    }
}

} // namespace

void arrangeSlices(DicomSeries& series, int frame) {
    const Frames frames(series.files);
    Slices all;
    for (std::size_t file = 0; file < series.files.size(); ++file) {
        for (std::size_t i = 0; i < series.files[file].frames.size(); ++i) {
            all.push_back({file, i});
        }
    }
    FoundImage& image = series.image;
    image.extents = series.files.front().extents;
    const auto placed = static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [&](const DicomSlice& slice) { return frames.at(slice).placed; }));
    if (all.size() > 1 && placed == 0) {
        setUnplaced(series, frame);
        return;
    }
    if (all.size() > 1 && placed != all.size()) {
        fail("only " + std::to_string(placed) + " of its " + std::to_string(all.size()) +
             " frames have a position, so it is incomplete");
    }
    std::vector<Slices> volumes;
    Sets sets;
    const std::vector<Slices> stacks = stacksOf(frames, all);
    for (Slices stack : stacks) {
        requireAlike(frames, stack);
        sortAlong(frames, stack);
        const auto twice = doubled(frames, stack);
        sets = twice ? separated(frames, stack, *twice) : Sets{{stack}, ""};
        volumes.insert(volumes.end(), sets.volumes.begin(), sets.volumes.end());
    }
    for (const Slices& volume : volumes) {
        if (volume.size() != volumes.front().size()) {
            fail("its stacks have different numbers of slices, " +
                 std::to_string(volumes.front().size()) + " and " + std::to_string(volume.size()) +
                 "; store each stack as a file of its own");
        }
    }
    image.frames = static_cast<int>(volumes.size());
    series.slices = volumes[static_cast<std::size_t>(std::clamp(frame, 0, image.frames - 1))];
    setVolume(image, frames, series.slices);
    describeSets(image, stacks.size(), sets);
}

} // namespace flcc::io::detail
