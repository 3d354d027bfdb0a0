// The texts of options that prepare for noise, and the line of a report on them.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/spacing.h"
#include "engine/base/text.h"
#include "engine/job/preparation.h"
#include "engine/job/report/text.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;
using detail::shortest;

namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& text,
                         const std::string& wanted) {
    throw Error(ErrorCode::CommandLine,
                "--" + option + " needs " + wanted + ", not \"" + base::excerpt(text) + "\"");
}

/// Numbers between commas, and what follows the last one.
struct Numbers {
    std::vector<double> values;
    std::string rest;
};

std::optional<Numbers> numbersOf(const std::string& text) {
    Numbers numbers;
    const char* at = text.data();
    const char* const end = text.data() + text.size();
    while (true) {
        double value = 0;
        const auto [after, error] = std::from_chars(at, end, value);
        if (error != std::errc() || !std::isfinite(value)) {
            return std::nullopt;
        }
        numbers.values.push_back(value);
        at = after;
        if (at == end || *at != ',') {
            numbers.rest.assign(at, end);
            return numbers;
        }
        ++at;
    }
}

/// A text that no file is meant by: numbers and commas.
bool isNumeric(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789+-.,eE ") == std::string::npos &&
           text.find_first_of("0123456789") != std::string::npos && text.back() != '.';
}

} // namespace

std::string_view name(Polarity polarity) {
    constexpr std::array<std::string_view, 3> kNames{"bright", "dark", "both"};
    return kNames[static_cast<std::size_t>(polarity)];
}

BandText parseBand(const std::string& text) {
    const auto wrong = [&] {
        refuse(
            "band", text,
            "the shortest and the longest wavelength, LOW,HIGH in voxels or with a unit, such as "
            "3,40 or 30,400A; 0 leaves a side open");
    };
    const auto numbers = numbersOf(text);
    if (!numbers || numbers->values.size() != 2) {
        wrong();
    }
    BandText band{.band = {numbers->values[0], numbers->values[1]}};
    if (!(band.band.low >= 0 && band.band.high >= 0) ||
        (band.band.low == 0 && band.band.high == 0) ||
        (band.band.high > 0 && band.band.low >= band.band.high)) {
        wrong();
    }
    if (!numbers->rest.empty()) {
        try {
            const base::Spacing unit = base::parseSpacing("1" + numbers->rest);
            band.unit = unit.unit;
            band.band.low *= unit.size[0]; // metres and centimetres become mm
            band.band.high *= unit.size[0];
        } catch (const Error&) {
            wrong();
        }
    }
    return band;
}

WedgeText parseWedge(const std::string& text) {
    const auto wrong = [&] {
        refuse("wedge", text,
               "the tilts that were taken, A,B for -A to B with 0 to 90 degrees each, or a file "
               "(.tlt, .rawtlt, .mdoc, .star, .xml)");
    };
    if (!isNumeric(text)) {
        if (text.empty()) {
            wrong();
        }
        return {.range = {}, .file = text};
    }
    const auto numbers = numbersOf(text);
    if (!numbers || numbers->values.size() != 2 || !numbers->rest.empty() ||
        !std::ranges::all_of(numbers->values,
                             [](double each) { return each >= 0 && each <= 90; })) {
        wrong();
    }
    return {.range = prepare::TiltRange{numbers->values[0], numbers->values[1]}, .file = {}};
}

CtfText parseCtf(const std::string& text) {
    constexpr std::string_view kFlipped = "flipped:";
    constexpr double kAngstroms = 1e4; // in a micrometre
    const auto wrong = [&] {
        refuse("ctf", text,
               "a file (.star, .xml, .defocus) or DEFOCUS,KV,CS,CONTRAST in um, kV, mm and 0 to 1, "
               "such as 3,300,2.7,0.07; flipped: before it for a scene of flipped phases");
    };
    CtfText ctf{.flipped = text.starts_with(kFlipped), .lens = {}, .file = {}};
    const std::string own = ctf.flipped ? text.substr(kFlipped.size()) : text;
    if (!isNumeric(own)) {
        if (own.empty()) {
            wrong();
        }
        ctf.file = own;
        return ctf;
    }
    const auto numbers = numbersOf(own);
    if (!numbers || numbers->values.size() > 4 || !numbers->rest.empty()) {
        wrong();
    }
    const auto value = [&](std::size_t i, double otherwise) {
        return numbers->values.size() > i ? numbers->values[i] : otherwise;
    };
    prepare::Lens lens;
    lens = {value(1, lens.voltage), value(2, lens.cs), value(3, lens.contrast),
            kAngstroms * value(0, 0), 0};
    if (!(std::abs(lens.defocus) <= 1e6 && lens.voltage >= 1 && lens.voltage <= 10'000 &&
          std::abs(lens.cs) <= 100 && lens.contrast >= 0 && lens.contrast <= 1)) {
        wrong();
    }
    ctf.lens = lens;
    return ctf;
}

std::vector<std::string> filesOf(const Preparation& preparation) {
    std::vector<std::string> files;
    for (const std::string& file :
         {preparation.wedge.empty() ? std::string() : parseWedge(preparation.wedge).file,
          preparation.ctf.empty() ? std::string() : parseCtf(preparation.ctf).file}) {
        if (!file.empty()) {
            files.push_back(file);
        }
    }
    return files;
}

std::string preparationText(const PreparationReport& report) {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
    if (report.band) {
        const prepare::Band& band = *report.band;
        add(band.high == 0  ? "wavelengths above " + shortest(band.low) + " " + report.unit
            : band.low == 0 ? "wavelengths below " + shortest(band.high) + " " + report.unit
                            : "wavelengths from " + shortest(band.low) + " to " +
                                  shortest(band.high) + " " + report.unit);
    }
    if (report.whiten) {
        add("whitened by the spectrum of the scene");
    }
    if (report.range) {
        add("tilts from " + shortest(-report.range->from) + " to " + shortest(report.range->to) +
            " degrees");
    } else if (!report.tiltsFrom.empty()) {
        add(std::to_string(report.tilts) + (report.tilts == 1 ? " tilt" : " tilts") + " from " +
            detail::fixed(report.lowest, 1) + " to " + detail::fixed(report.highest, 1) +
            " degrees of " + report.tiltsFrom +
            (report.dose
                 ? ", dose up to " + detail::fixed(*report.dose, 1) + " electrons a square angstrom"
                 : std::string()));
    }
    if (report.lens) {
        add("CTF" + std::string(report.flipped ? " of flipped phases" : "") + ", defocus " +
            detail::fixed(report.lens->defocus / 1e4, 3) + " um, " +
            shortest(report.lens->voltage) + " kV, Cs " + shortest(report.lens->cs) +
            " mm, amplitude contrast " + shortest(report.lens->contrast) +
            (report.ctfFrom.empty() ? "" : " of " + report.ctfFrom));
    }
    if (!report.assumed.empty()) {
        add(report.assumed);
    }
    if (report.points.x > 0) {
        add("templates filtered in boxes of " + base::toString(report.points) + " points" +
            (report.scene ? ", the scene once" : ", the scene as it is") +
            "; scores compare what is left");
    }
    if (report.polarity != Polarity::Bright) {
        add(report.polarity == Polarity::Dark ? "templates with the other sign"
                                              : "templates with both signs");
    }
    return text;
}

void requirePreparation(const Preparation& preparation) {
    if (!preparation.band.empty()) {
        (void)parseBand(preparation.band);
    }
    if (!preparation.wedge.empty()) {
        (void)parseWedge(preparation.wedge);
    }
    if (!preparation.ctf.empty()) {
        (void)parseCtf(preparation.ctf);
    }
}

} // namespace flcc::job
