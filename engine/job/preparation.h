#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/image.h"
#include "engine/base/spacing.h"
#include "engine/prepare/response.h"

namespace flcc::job {

struct Job;
struct MaskImage;
struct SceneImage;

/// The sign of what is found: as the template is, with the other sign, or both.
enum class Polarity : std::uint8_t { Bright, Dark, Both };
[[nodiscard]] std::string_view name(Polarity polarity); ///< "bright", "dark", "both"

/// How templates and scene are made ready for noise before they are compared
/// (engine/prepare/README.md). Texts are those of the options.
struct Preparation {
    std::string band;    ///< text of parseBand(); empty: none
    bool whiten = false; ///< by the spectrum of the scene
    std::string wedge;   ///< text of parseWedge(); empty: none
    std::string ctf;     ///< text of parseCtf(); empty: none
    Polarity polarity = Polarity::Bright;

    [[nodiscard]] bool filtersScene() const { return !band.empty() || whiten; }
    [[nodiscard]] bool filters() const { return filtersScene() || !wedge.empty() || !ctf.empty(); }
    friend bool operator==(const Preparation&, const Preparation&) = default;
};

/// Wavelengths in a unit of base::Geometry; "px" is the shortest edge of a voxel.
struct BandText {
    prepare::Band band;
    std::string unit = "px";
};
/// "LOW,HIGH[UNIT]", such as "3,40" or "30,400A"; 0 leaves a side open. **Errors**: CommandLine for
/// other texts, negative numbers, a LOW that is not below a HIGH, and two zeros.
[[nodiscard]] BandText parseBand(const std::string& text);

/// A range of tilts, or a file of io::readTilts().
struct WedgeText {
    std::optional<prepare::TiltRange> range;
    std::string file;
};
/// "A,B": tilts from -A to B degrees, each 0 to 90; or a file. **Errors**: CommandLine.
[[nodiscard]] WedgeText parseWedge(const std::string& text);

/// A lens, or a file of io::readTilts().
struct CtfText {
    bool flipped = false; ///< the scene's phases are flipped: magnitudes alone count
    std::optional<prepare::Lens> lens;
    std::string file;
};
/// "[flipped:]FILE" or "[flipped:]DEFOCUS[,KV[,CS[,CONTRAST]]]" in um, kV, mm and 0 to 1, by
/// default those of prepare::Lens. **Errors**: CommandLine.
[[nodiscard]] CtfText parseCtf(const std::string& text);

/// Throws for texts without a meaning. **Errors**: CommandLine.
void requirePreparation(const Preparation& preparation);
/// The files that these texts name.
[[nodiscard]] std::vector<std::string> filesOf(const Preparation& preparation);

/// What was done to templates and scene.
struct PreparationReport {
    std::optional<prepare::Band> band; ///< in `unit`
    std::string unit;                  ///< of the scene
    bool whiten = false;
    std::optional<prepare::TiltRange> range;
    std::string tiltsFrom; ///< the file of the tilts; empty without
    int tilts = 0;         ///< their number
    double lowest = 0;     ///< their angles, degrees
    double highest = 0;
    std::optional<double> dose; ///< the largest dose before a tilt, electrons a square angstrom
    std::optional<prepare::Lens> lens; ///< with the mean defocus of the tilts
    bool flipped = false;
    std::string ctfFrom; ///< the file of the CTF; empty without
    std::string assumed; ///< what no file told and was taken instead; may be empty
    base::Extents points{0, 0,
                         0}; ///< of the box in which a template is filtered; of the first group
    bool scene = false;      ///< the scene was filtered
    double sceneMs = 0;      ///< time of that
    Polarity polarity = Polarity::Bright;
    /// What the job stated of the voxels when lengths were converted: a spacing that a person
    /// states later changes positions, and not what was done.
    std::optional<base::Spacing> stated;
};
/// In one line: "band pass 3 to 40 px, whitened by the scene; ...".
[[nodiscard]] std::string preparationText(const PreparationReport& report);

/// A template as it is compared, to look at.
struct PreparedTemplate {
    base::Image<float> pixels; ///< 0 where it does not count
    /// Logarithm of the power spectrum of `pixels`, frequency 0 in the middle: of an image, the
    /// plane of x and y; of a volume, that of x and z, where the wedge lies. 0 to 1.
    base::Image<float> spectrum;
    PreparationReport report;
};

/// Prepares a template in no pose. `mask` may be null. Null if cancelled. **Errors**: as runJob().
/// **Cost**: that of filtering the scene, where the job whitens.
[[nodiscard]] std::shared_ptr<const PreparedTemplate>
preparedTemplate(const Job& job, const std::shared_ptr<const SceneImage>& scene,
                 const std::shared_ptr<const SceneImage>& templ,
                 const std::shared_ptr<const MaskImage>& mask, const std::stop_token& stop = {});

} // namespace flcc::job
