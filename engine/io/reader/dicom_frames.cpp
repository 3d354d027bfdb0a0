// What a DICOM file says of each of its frames.

#include "engine/io/reader/dicom_frames.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "engine/io/reader/dicom_elements.h"

namespace flcc::io::detail {

namespace {

using base::Point;
using gdcm::DataSet;
using gdcm::Tag;
using Items = std::vector<DataSet>;

[[noreturn]] void refuse(const DicomFile& file, const std::string& sentence) {
    throw base::Error(base::ErrorCode::Input,
                      "the file " + file.path.filename().string() + " " + sentence);
}

/// What can tell two pictures at one place apart: elements of a frame or of a file.
struct Mark {
    const char* title;
    std::array<Tag, 2> tags;
};
const std::array<Mark, 12> kMarks{{
    {"time", {Tag(0x0020, 0x9128), Tag(0x0020, 0x0100)}},
    {"time", {Tag(0x0054, 0x1300), Tag(0x0054, 0x1300)}},
    {"trigger time", {Tag(0x0020, 0x9153), Tag(0x0018, 0x1060)}},
    {"echo time", {Tag(0x0018, 0x9082), Tag(0x0018, 0x0081)}},
    {"echo", {Tag(0x0018, 0x0086), Tag(0x0018, 0x0086)}},
    {"b-value", {Tag(0x0018, 0x9087), Tag(0x0018, 0x9087)}},
    {"gradient", {Tag(0x0018, 0x9089), Tag(0x0018, 0x9089)}},
    {"segment", {Tag(0x0062, 0x000b), Tag(0x0062, 0x000b)}},
    {"component", {Tag(0x0008, 0x9208), Tag(0x0008, 0x9208)}},
    {"kind", {Tag(0x0008, 0x9007), Tag(0x0008, 0x0008)}},
    {"inversion time", {Tag(0x0018, 0x9079), Tag(0x0018, 0x0082)}},
    {"acquisition", {Tag(0x0020, 0x9156), Tag(0x0020, 0x0012)}},
}};

void addMarks(DicomFrame& frame, const DataSet& data, int depth) {
    for (const Mark& mark : kMarks) {
        std::string value = valueWithin(data, mark.tags[0], depth);
        if (value.empty()) {
            value = valueWithin(data, mark.tags[1], depth);
        }
        if (!value.empty()) {
            frame.marks.emplace_back(mark.title, std::move(value));
        }
    }
}

/// The first item of a sequence, of the frame or else of what all frames share.
std::optional<DataSet> groupOf(const DataSet* own, const DataSet* shared, const Tag& tag) {
    for (const DataSet* data : {own, shared}) {
        if (data != nullptr) {
            if (const Items items = itemsOf(*data, tag); !items.empty()) {
                return items.front();
            }
        }
    }
    return std::nullopt;
}

std::vector<double> numbersIn(const DataSet* own, const DataSet* shared, const Tag& group,
                              const Tag& tag) {
    const auto data = groupOf(own, shared, group);
    return data ? numbersOf(*data, tag) : std::vector<double>{};
}

/// **Returns** true if the groups give a spacing.
bool setPlace(DicomFrame& frame, const DataSet* own, const DataSet* shared) {
    std::vector<double> position = numbersIn(own, shared, Tag(0x0020, 0x9113), Tag(0x0020, 0x0032));
    std::vector<double> axes = numbersIn(own, shared, Tag(0x0020, 0x9116), Tag(0x0020, 0x0037));
    if (position.size() != 3) { // of ultrasound volumes
        position = numbersIn(own, shared, Tag(0x0020, 0x930e), Tag(0x0020, 0x9301));
        axes = numbersIn(own, shared, Tag(0x0020, 0x930f), Tag(0x0020, 0x9302));
    }
    const std::vector<double> spacing =
        numbersIn(own, shared, Tag(0x0028, 0x9110), Tag(0x0028, 0x0030));
    frame.placed = position.size() == 3;
    for (std::size_t i = 0; frame.placed && i < 3; ++i) {
        frame.position[i] = position[i];
    }
    for (std::size_t i = 0; axes.size() == 6 && i < 6; ++i) {
        frame.axes[i] = axes[i];
    }
    if (spacing.size() == 2) {
        frame.spacing[0] = spacing[1]; // between columns
        frame.spacing[1] = spacing[0];
        frame.spaced = true;
    }
    const std::vector<double> between =
        numbersIn(own, shared, Tag(0x0028, 0x9110), Tag(0x0018, 0x0088));
    if (between.size() == 1 && between[0] > 0) {
        frame.spacing[2] = between[0];
    }
    return spacing.size() == 2;
}

void setSlope(DicomFrame& frame, const DataSet* own, const DataSet* shared) {
    const Tag group(0x0028, 0x9145);
    const std::vector<double> intercept = numbersIn(own, shared, group, Tag(0x0028, 0x1052));
    const std::vector<double> slope = numbersIn(own, shared, group, Tag(0x0028, 0x1053));
    frame.intercept = intercept.empty() ? frame.intercept : intercept[0];
    frame.slope = slope.empty() ? frame.slope : slope[0];
}

/// Which of a frame's indices count through positions: the others tell frames apart.
std::vector<bool> positionIndices(const DataSet& data) {
    std::vector<bool> indices;
    for (const DataSet& item : itemsOf(data, Tag(0x0020, 0x9222))) {
        const gdcm::ByteValue* value = item.FindDataElement(Tag(0x0020, 0x9165))
                                           ? item.GetDataElement(Tag(0x0020, 0x9165)).GetByteValue()
                                           : nullptr;
        const std::string_view tag =
            value == nullptr ? std::string_view()
                             : std::string_view(value->GetPointer(), value->GetLength());
        indices.push_back(tag == std::string_view("\x20\0\x57\x90", 4) ||
                          tag == std::string_view("\x20\0\x32\0", 4) ||
                          tag == std::string_view("\x20\0\x01\x93", 4));
    }
    return indices;
}

void addIndexMark(DicomFrame& frame, const DataSet& own, const std::vector<bool>& positions) {
    const std::vector<double> values =
        numbersIn(&own, nullptr, Tag(0x0020, 0x9111), Tag(0x0020, 0x9157));
    std::string text;
    for (std::size_t i = 0; i < values.size() && values.size() == positions.size(); ++i) {
        if (!positions[i]) {
            text += (text.empty() ? "" : "/") + shortNumber(values[i]);
        }
    }
    if (!text.empty()) {
        frame.marks.emplace_back("index", text);
    }
}

/// Philips stores a slope of its own beside the standard one, with which it means other values.
void notePhilips(DicomFile& file, const DataSet& data, const DataSet* own) {
    const auto inside = groupOf(own, nullptr, Tag(0x2005, 0x140f));
    for (const DataSet* from : {&data, inside ? &*inside : nullptr}) {
        if (from == nullptr || file.privateSlope != 0) {
            continue;
        }
        const std::vector<double> slope = numbersOf(*from, Tag(0x2005, 0x100e));
        if (slope.size() == 1 && std::isfinite(slope[0])) {
            file.privateSlope = slope[0];
        }
    }
}

/// Frames that the functional groups of an enhanced file describe.
void addGroups(DicomFile& file, const DataSet& data, const Items& own) {
    const Items shared = itemsOf(data, Tag(0x5200, 0x9229));
    const DataSet* const common = shared.empty() ? nullptr : shared.data();
    const std::vector<bool> positions = positionIndices(data);
    if (!own.empty() && own.size() != file.frames.size()) {
        refuse(file, "promises " + std::to_string(file.frames.size()) + " frames and describes " +
                         std::to_string(own.size()) + ", so it is incomplete");
    }
    for (std::size_t i = 0; i < file.frames.size(); ++i) {
        DicomFrame& frame = file.frames[i];
        const DataSet* const item = own.empty() ? nullptr : &own[i];
        if (setPlace(frame, item, common)) {
            file.spacingNote.clear(); // it is on the spacing of the file
        }
        setSlope(frame, item, common);
        if (item != nullptr) {
            if (const auto content = groupOf(item, nullptr, Tag(0x0020, 0x9111))) {
                frame.stack = textOf(*content, Tag(0x0020, 0x9056));
            }
            addMarks(frame, *item, 3);
            addIndexMark(frame, *item, positions);
        }
    }
    notePhilips(file, data, own.empty() ? nullptr : own.data());
}

Point normalOf(const std::array<double, 6>& a) {
    return {a[1] * a[5] - a[2] * a[4], a[2] * a[3] - a[0] * a[5], a[0] * a[4] - a[1] * a[3]};
}

/// Planes of a dose: their distances from the first one, or their z.
void addOffsets(DicomFile& file, const std::vector<double>& offsets) {
    if (offsets.size() != file.frames.size()) {
        refuse(file, "has " + std::to_string(file.frames.size()) + " frames and states " +
                         std::to_string(offsets.size()) + " offsets of them");
    }
    const Point along = offsets[0] == 0 ? normalOf(file.frames[0].axes) : Point{0, 0, 1};
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        file.frames[i].placed = true;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            file.frames[i].position[axis] += (offsets[i] - offsets[0]) * along[axis];
        }
    }
}

/// Frames of nuclear medicine: vectors with a number a frame. Numbers of slices are places.
void addVectors(DicomFile& file, const DataSet& data) {
    struct Vector {
        const char* title;
        Tag tag;
    };
    const std::array<Vector, 8> vectors{{{"energy window", Tag(0x0054, 0x0010)},
                                         {"detector", Tag(0x0054, 0x0020)},
                                         {"phase", Tag(0x0054, 0x0030)},
                                         {"rotation", Tag(0x0054, 0x0050)},
                                         {"heart beat", Tag(0x0054, 0x0060)},
                                         {"time", Tag(0x0054, 0x0070)},
                                         {"view", Tag(0x0054, 0x0090)},
                                         {"time slice", Tag(0x0054, 0x0100)}}};
    const std::size_t count = file.frames.size();
    bool counted = false;
    const auto require = [&](const std::vector<double>& numbers, const char* title) {
        if (!numbers.empty() && numbers.size() != count) {
            refuse(file, "has " + std::to_string(count) + " frames and states " +
                             std::to_string(numbers.size()) + " values in its vector of the " +
                             title);
        }
    };
    for (const Vector& vector : vectors) {
        const std::vector<double> numbers = numbersOf(data, vector.tag);
        require(numbers, vector.title);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            file.frames[i].marks.emplace_back(vector.title, shortNumber(numbers[i]));
            counted = true;
        }
    }
    const std::vector<double> slices = numbersOf(data, Tag(0x0054, 0x0080));
    require(slices, "slice");
    if (!slices.empty()) {
        std::vector<double> between = numbersOf(data, Tag(0x0018, 0x0088));
        if (between.empty()) {
            between = numbersOf(data, Tag(0x0018, 0x0050));
        }
        if (between.empty() || between[0] == 0) {
            refuse(file, "does not say how far apart its slices lie");
        }
        const Point normal = normalOf(file.frames[0].axes);
        for (std::size_t i = 0; i < count; ++i) {
            file.frames[i].placed = true;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                file.frames[i].position[axis] +=
                    (slices[i] - slices[0]) * between[0] * normal[axis];
            }
        }
    } else if (counted) {
        file.apart = true; // views of one object from several sides, or times
    }
}

/// True if frames follow each other in time.
bool isFilm(const DataSet& data) {
    const Tag pointer(0x0028, 0x0009);
    const gdcm::ByteValue* value =
        data.FindDataElement(pointer) ? data.GetDataElement(pointer).GetByteValue() : nullptr;
    const std::string_view tag = value == nullptr
                                     ? std::string_view()
                                     : std::string_view(value->GetPointer(), value->GetLength());
    return tag == std::string_view("\x18\0\x63\x10", 4) ||
           tag == std::string_view("\x18\0\x65\x10", 4);
}

void requireUsable(const DicomFile& file) {
    for (std::size_t i = 0; i < file.frames.size(); ++i) {
        const DicomFrame& frame = file.frames[i];
        const auto finite = [](double value) { return std::isfinite(value); };
        if (!finite(frame.slope) || !finite(frame.intercept) || frame.slope == 0) {
            refuse(file, "has the slope " + shortNumber(frame.slope) + " and the intercept " +
                             shortNumber(frame.intercept) + " in frame " + std::to_string(i));
        }
        if (!std::all_of(frame.position.begin(), frame.position.end(), finite) ||
            !std::all_of(frame.axes.begin(), frame.axes.end(), finite)) {
            refuse(file, "has a position or direction that is not a number in frame " +
                             std::to_string(i));
        }
    }
}

} // namespace

void addFrames(DicomFile& file, const gdcm::File& content, double intercept, double slope) {
    const DataSet& data = content.GetDataSet();
    DicomFrame first;
    first.position = file.position;
    first.axes = file.axes;
    first.spacing = file.spacing;
    first.spaced = file.spaced;
    first.placed = file.placed;
    first.slope = slope;
    first.intercept = intercept;
    const Items own = itemsOf(data, Tag(0x5200, 0x9230));
    const bool grouped = !own.empty() || data.FindDataElement(Tag(0x5200, 0x9229));
    if (file.extents.z == 1 && !grouped) {
        addMarks(first, data, 1);
        first.number = textOf(data, Tag(0x0020, 0x0013));
        file.frames = {first};
        notePhilips(file, data, nullptr);
    } else {
        first.placed = false;
        file.frames.assign(static_cast<std::size_t>(file.extents.z), first);
        const std::vector<double> offsets = numbersOf(data, Tag(0x3004, 0x000c));
        if (grouped) {
            for (DicomFrame& frame : file.frames) {
                frame.slope = 1;
                frame.intercept = 0;
                for (const double number : numbersOf(data, Tag(0x0028, 0x1053))) {
                    frame.slope = number;
                }
                for (const double number : numbersOf(data, Tag(0x0028, 0x1052))) {
                    frame.intercept = number;
                }
            }
            addGroups(file, data, own);
        } else if (!offsets.empty()) {
            addOffsets(file, offsets);
            for (DicomFrame& frame : file.frames) {
                for (const double number : numbersOf(data, Tag(0x3004, 0x000e))) {
                    frame.slope = number; // of a dose
                }
            }
        } else {
            addVectors(file, data);
            file.apart = file.apart || isFilm(data);
            file.film = isFilm(data);
            notePhilips(file, data, nullptr);
        }
    }
    if (file.extents.z > 1 && data.FindDataElement(Tag(0x0048, 0x0006))) {
        file.fault = "the frames of " + file.path.filename().string() +
                     " are tiles of one large picture, which are not put together here; convert it "
                     "to a tiled TIFF file";
    }
    requireUsable(file);
}

} // namespace flcc::io::detail
