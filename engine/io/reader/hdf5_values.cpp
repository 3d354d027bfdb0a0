// What the numbers of a dataset mean, by the conventions of netCDF and BigDataViewer.

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <regex>

#include "engine/io/reader/hdf5_file.h"

namespace flcc::io::detail {

namespace {

using base::PixelType;

/// The type of the same size and the other sign.
void recast(VoxelType& type) {
    type.pixel = static_cast<PixelType>(static_cast<std::uint8_t>(type.pixel) ^ 1U);
    type.recast = true;
}

bool isSigned(PixelType type) { return static_cast<std::uint8_t>(type) % 2 == 1; }

std::string numberText(double number) {
    std::string text(32, '\0');
    text.resize(static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.10g", number)));
    return text;
}

/// `_Unsigned`: netCDF's older types of integers have one sign only.
void setSign(hid_t dataset, Hdf5Image& image) {
    std::string word = textOf(dataset, "_Unsigned");
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    VoxelType& type = image.type;
    if (!base::isInteger(type.pixel) || type.mask || (word != "true" && word != "false") ||
        isSigned(type.pixel) != (word == "true")) {
        return;
    }
    const std::string stored(base::name(type.pixel));
    recast(type);
    image.found.notes.push_back("its numbers are stored as " + stored + " and were read as " +
                                std::string(base::name(type.pixel)) + ", as its attribute " +
                                "_Unsigned says");
}

bool isBigDataViewer(hid_t file, const std::string& path) {
    static const std::regex kCells("/t[0-9]+/(s[0-9]+)/[0-9]+/cells");
    std::smatch parts;
    return std::regex_match(path, parts, kCells) &&
           hasObject(file, "/" + parts[1].str() + "/resolutions");
}

/// The only number of an attribute, or `otherwise` if there is none.
double numberOf(hid_t dataset, const char* name, double otherwise) {
    if (H5Aexists(dataset, name) <= 0) {
        return otherwise;
    }
    const std::vector<double> numbers = numbersOf(dataset, name);
    if (numbers.size() != 1 || !std::isfinite(numbers[0])) {
        refuseHdf5("its attribute " + std::string(name) +
                   " is not one finite number, so the values are unknown; correct or delete it");
    }
    return numbers[0];
}

void setScale(hid_t dataset, Hdf5Image& image) {
    image.slope = numberOf(dataset, "scale_factor", 1);
    image.intercept = numberOf(dataset, "add_offset", 0);
    if (image.slope == 0) {
        refuseHdf5("its attribute scale_factor is 0, so all values would be equal; correct or "
                   "delete it");
    }
    image.scaled = image.slope != 1 || image.intercept != 0;
    if (image.scaled) {
        if (base::isInteger(image.type.pixel)) {
            image.found.pixel = PixelType::Float32;
        }
        image.found.notes.push_back("its values were multiplied by " + numberText(image.slope) +
                                    " and moved by " + numberText(image.intercept) +
                                    ", as its attributes scale_factor and add_offset say");
    }
}

/// Says which value marks voxels without one.
void noteFill(hid_t dataset, Hdf5Image& image) {
    for (const char* const name : {"_FillValue", "missing_value"}) {
        const std::vector<double> fill = numbersOf(dataset, name);
        if (fill.size() == 1) {
            const double bits = 8 * static_cast<double>(base::bytesPerVoxel(image.type.pixel));
            const double number = image.type.recast && !isSigned(image.type.pixel) && fill[0] < 0
                                      ? fill[0] + std::exp2(bits)
                                      : fill[0];
            image.found.notes.push_back("voxels without a value have the value " +
                                        numberText(number * image.slope + image.intercept) + " (" +
                                        name + "), which was left");
            return;
        }
    }
}

} // namespace

void setValues(hid_t file, hid_t dataset, const std::string& path, Hdf5Image& image) {
    setSign(dataset, image);
    if (image.type.pixel == PixelType::Int16 && isBigDataViewer(file, path)) {
        recast(image.type);
        image.found.notes.emplace_back("its numbers are stored as int16 and were read as uint16, "
                                       "which BigDataViewer means by them");
    }
    image.found.pixel = image.type.pixel;
    setScale(dataset, image);
    noteFill(dataset, image);
}

bool isBigDataViewerTable(const std::string& path) {
    static const std::regex kTable("/s[0-9]+/(resolutions|subdivisions)");
    return std::regex_match(path, kTable);
}

} // namespace flcc::io::detail
