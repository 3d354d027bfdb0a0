// XML of Warp by pugixml, which expands no entity of a document's own and reads no other file.

#include "engine/io/tilts/warp_xml.h"

#include <cmath>
#include <cstring>
#include <map>
#include <new>
#include <optional>
#include <vector>

#include <pugixml.hpp>

#include "engine/base/text.h"
#include "engine/io/files/paths.h"
#include "engine/io/tilts/tilt_text.h"

namespace flcc::io::detail::tilts {

namespace {

/// A value of Param elements below an element, or of its attributes.
std::optional<double> parameter(const pugi::xml_node& node, const char* name,
                                const std::filesystem::path& path) {
    std::string_view text = node.attribute(name).value();
    for (const pugi::xml_node& child : node.children("Param")) {
        if (std::strcmp(child.attribute("Name").value(), name) == 0) {
            text = child.attribute("Value").value();
        }
    }
    if (text.empty()) {
        return std::nullopt;
    }
    const auto value = numberIn(text);
    if (!value) {
        failInput(path, std::string(name) + " of its CTF is \"" + base::excerpt(text) + "\"");
    }
    return value;
}

std::vector<std::string_view> wordsOf(const pugi::xml_node& root, const char* name) {
    std::vector<std::string_view> all;
    for (const std::string_view line : linesIn(root.child(name).text().get())) {
        const auto words = wordsIn(line);
        all.insert(all.end(), words.begin(), words.end());
    }
    return all;
}

std::vector<double> numbersOf(const pugi::xml_node& root, const char* name,
                              const std::filesystem::path& path) {
    std::vector<double> numbers;
    for (const std::string_view word : wordsOf(root, name)) {
        const auto number = numberIn(word);
        if (!number) {
            failInput(path, std::string(name) + " holds \"" + base::excerpt(word) +
                                "\", which is no number");
        }
        numbers.push_back(*number);
    }
    return numbers;
}

/// The mean of the nodes of a grid for each of its layers, which are tilts.
std::map<long, double> layersOf(const pugi::xml_node& grid, const std::filesystem::path& path) {
    std::map<long, double> sums;
    std::map<long, double> counts;
    for (const pugi::xml_node& node : grid.children("Node")) {
        const auto layer = numberIn(node.attribute("Z").value());
        const auto value = numberIn(node.attribute("Value").value());
        if (!layer || !value || std::abs(*layer) > 1e6) {
            failInput(path, "a node of its GridCTF has no numbers for Z and Value");
        }
        sums[std::lround(*layer)] += *value;
        counts[std::lround(*layer)] += 1;
    }
    for (auto& [layer, sum] : sums) {
        sum /= counts[layer];
    }
    return sums;
}

} // namespace

prepare::TiltSeries parseWarp(std::string_view text, const std::filesystem::path& path) {
    constexpr double kAngstroms = 1e4; // in a micrometre
    constexpr double kHalfTurn = 180;  // phase shifts are in pi
    pugi::xml_document document;
    const pugi::xml_parse_result parsed =
        document.load_buffer(text.data(), text.size(), pugi::parse_default);
    if (parsed.status == pugi::status_out_of_memory) {
        throw std::bad_alloc();
    }
    const pugi::xml_node root = document.child("TiltSeries");
    if (!parsed || !root) {
        failInput(path, !parsed ? std::string("it is no XML: ") + parsed.description()
                                : "it has no element TiltSeries, as those of Warp and M have");
    }
    const std::vector<double> angles = numbersOf(root, "Angles", path);
    const std::vector<double> doses = numbersOf(root, "Dose", path);
    const std::vector<std::string_view> used = wordsOf(root, "UseTilt");
    if ((!doses.empty() && doses.size() != angles.size()) ||
        (!used.empty() && used.size() != angles.size())) {
        failInput(path, "it has " + std::to_string(angles.size()) + " Angles, " +
                            std::to_string(doses.size()) + " values of Dose and " +
                            std::to_string(used.size()) + " of UseTilt");
    }
    const pugi::xml_node ctf = root.child("CTF");
    prepare::TiltSeries series;
    series.name = path.stem().string();
    series.voltage = parameter(ctf, "Voltage", path);
    series.cs = parameter(ctf, "Cs", path);
    series.contrast = parameter(ctf, "Amplitude", path);
    const std::optional<double> defocus = parameter(ctf, "Defocus", path);
    const std::optional<double> shift = parameter(ctf, "PhaseShift", path);
    const std::map<long, double> defoci = layersOf(root.child("GridCTF"), path);
    const std::map<long, double> shifts = layersOf(root.child("GridCTFPhase"), path);
    const auto at = [&](const std::map<long, double>& layers, std::size_t i,
                        const std::optional<double>& all, double unit) -> std::optional<double> {
        if (layers.size() == angles.size()) {
            const auto found = layers.find(static_cast<long>(i));
            return found == layers.end() ? std::nullopt : std::optional(unit * found->second);
        }
        return all ? std::optional(unit * *all) : std::nullopt;
    };
    for (std::size_t i = 0; i < angles.size(); ++i) {
        if (!used.empty() && used[i] == "False") {
            continue;
        }
        series.tilts.push_back({.angle = -angles[i],
                                .dose = doses.empty() ? std::nullopt : std::optional(doses[i]),
                                .defocus = at(defoci, i, defocus, kAngstroms),
                                .phaseShift = at(shifts, i, shift, kHalfTurn)});
    }
    return series;
}

} // namespace flcc::io::detail::tilts
