#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

#include "engine/io/format/headers.h"
#include "engine/io/volume/nrrd_header.h"
#include "engine/io/volume/several_files.h"

namespace flcc::io::detail {

namespace {

constexpr std::size_t kLongestField = 8192;

/// Names of fields, in lower case, and their other spellings.
struct FieldName {
    std::string_view name;
    std::string_view also;
};
constexpr std::array<FieldName, 30> kFields{{{"content", ""},
                                             {"number", ""},
                                             {"type", ""},
                                             {"block size", "blocksize"},
                                             {"dimension", ""},
                                             {"space", ""},
                                             {"space dimension", "spacedimension"},
                                             {"sizes", ""},
                                             {"spacings", ""},
                                             {"thicknesses", ""},
                                             {"axis mins", "axismins"},
                                             {"axis maxs", "axismaxs"},
                                             {"space directions", "spacedirections"},
                                             {"centers", "centerings"},
                                             {"kinds", ""},
                                             {"labels", ""},
                                             {"units", ""},
                                             {"min", ""},
                                             {"max", ""},
                                             {"old min", "oldmin"},
                                             {"old max", "oldmax"},
                                             {"endian", ""},
                                             {"encoding", ""},
                                             {"line skip", "lineskip"},
                                             {"byte skip", "byteskip"},
                                             {"sample units", "sampleunits"},
                                             {"space units", "spaceunits"},
                                             {"space origin", "spaceorigin"},
                                             {"measurement frame", "measurementframe"},
                                             {"data file", "datafile"}}};

/// The name of a field; empty if `text` is none.
std::string_view fieldName(const std::string& text) {
    const auto* found = std::find_if(kFields.begin(), kFields.end(), [&](const FieldName& field) {
        return field.name == text || (!field.also.empty() && field.also == text);
    });
    return found == kFields.end() ? std::string_view() : found->name;
}

/// Replaces \n and \\ by the characters they stand for.
std::string unescaped(const std::string& text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char next = i + 1 < text.size() ? text[i + 1] : '\0';
        if (text[i] == '\\' && (next == 'n' || next == '\\')) {
            result += next == 'n' ? '\n' : '\\';
            ++i;
        } else {
            result += text[i];
        }
    }
    return result;
}

void takeLine(const std::filesystem::path& path, const std::string& line, NrrdLines& lines) {
    const std::size_t colon = line.find(": ");
    const std::string_view name =
        colon == std::string::npos ? std::string_view() : fieldName(lowered(line.substr(0, colon)));
    if (!name.empty()) {
        if (line.size() > kLongestField) {
            failInput(path, "the field \"" + std::string(name) + "\" of its header has " +
                                std::to_string(line.size()) + " characters; at most " +
                                std::to_string(kLongestField) + " can be read");
        }
        if (!lines.fields.try_emplace(std::string(name), trimmed(line.substr(colon + 1))).second) {
            failInput(path, "its header gives \"" + std::string(name) + "\" twice");
        }
        return;
    }
    const std::size_t separator = line.find(":=");
    if (separator == std::string::npos) {
        failInput(path, "its header has the line " + inQuotes(line) + ", which is no NRRD field");
    }
    lines.texts[unescaped(line.substr(0, separator))] = unescaped(line.substr(separator + 2));
}

/// The names of files that follow "data file: LIST", one a line.
void takeFiles(const std::string& text, NrrdLines& lines) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line) && !trimmed(line).empty();) {
        lines.files.push_back(trimmed(line));
    }
}

} // namespace

std::string lowered(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return text;
}

NrrdLines readNrrdLines(const std::filesystem::path& path) {
    const Bytes bytes = readBytes(path, 0, std::min(requireRegularFile(path), kLongestHeader));
    const std::string text(bytes.begin(), bytes.end());
    NrrdLines lines;
    std::size_t at = 0;
    while (at < text.size() && !lines.ended) {
        const bool first = at == 0;
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string line = text.substr(at, end - at);
        at = std::min(end + 1, text.size());
        if (!line.empty() && line.back() == '\r') {
            line.pop_back();
        }
        if (first) {
            if (line.size() != 8 || line[7] < '1' || line[7] > '5') {
                failInput(path, "its first line is " + inQuotes(line) +
                                    "; NRRD0001 to NRRD0005 can be read");
            }
        } else if (line.empty()) {
            lines.ended = true;
        } else if (line[0] != '#') {
            takeLine(path, line, lines);
            if (isList(lines.get("data file"))) {
                takeFiles(text.substr(at), lines);
                return lines;
            }
        }
    }
    if (!lines.ended && requireRegularFile(path) > kLongestHeader) {
        failInput(path,
                  "its NRRD header has more than " + std::to_string(kLongestHeader) + " bytes");
    }
    lines.dataOffset = static_cast<std::int64_t>(at);
    return lines;
}

} // namespace flcc::io::detail
