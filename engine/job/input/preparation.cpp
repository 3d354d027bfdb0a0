#include "engine/job/input/preparation.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/stopwatch.h"
#include "engine/io/tilt_file.h"
#include "engine/job/input/limits.h"
#include "engine/job/input/poses.h"
#include "engine/job/report/text.h"
#include "engine/job/report/text_file.h"
#include "engine/method/canonical.h"
#include "engine/prepare/member.h"
#include "engine/prepare/scene.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;

namespace detail {

namespace {

[[noreturn]] void problem(const std::string& sentence) {
    throw Error(ErrorCode::Problem, sentence);
}

/// A length of the unit in that of the scene, whose voxels have this shortest edge.
double lengthIn(double length, const std::string& unit, const base::Geometry& geometry,
                double edge) {
    if (unit == "px") {
        return length * edge;
    }
    const double own = prepare::angstromsIn(geometry.unit);
    if (own == 0) {
        problem("--band is in " + unit +
                ", but the scene states no spacing in lengths; give the "
                "wavelengths in voxels, or add --spacing");
    }
    return length * (prepare::angstromsIn(unit) / own);
}

/// What the job says, with what its files say.
class Recipes {
  public:
    Recipes(Inputs& inputs, const Job& job, bool flat)
        : m_inputs(inputs), m_preparation(job.preparation), m_flat(flat) {
        const base::Geometry& geometry = inputs.geometry;
        m_recipe.angstroms = prepare::angstromsIn(geometry.unit);
        m_report.unit = geometry.unit;
        m_report.whiten = m_preparation.whiten;
        m_report.polarity = m_preparation.polarity;
        takeBand(geometry);
        takeWedge();
        takeCtf();
        const bool dose = std::ranges::any_of(
            m_recipe.tilts, [](const prepare::Tilt& tilt) { return tilt.dose.has_value(); });
        if (m_recipe.angstroms == 0 && (m_recipe.lens || dose)) {
            problem("the scene states no spacing in lengths, which " +
                    std::string(m_recipe.lens ? "--ctf needs"
                                              : "the doses of " + m_report.tiltsFrom + " need") +
                    "; add --spacing, such as --spacing 10A");
        }
    }

    [[nodiscard]] const prepare::Recipe& recipe() const { return m_recipe; }
    [[nodiscard]] const PreparationReport& report() const { return m_report; }

  private:
    void takeBand(const base::Geometry& geometry) {
        if (m_preparation.band.empty()) {
            return;
        }
        const base::Point& s = geometry.spacing;
        const double edge = m_flat ? std::min(std::abs(s[0]), std::abs(s[1]))
                                   : std::min({std::abs(s[0]), std::abs(s[1]), std::abs(s[2])});
        const BandText text = parseBand(m_preparation.band);
        m_recipe.band = prepare::Band{lengthIn(text.band.low, text.unit, geometry, edge),
                                      lengthIn(text.band.high, text.unit, geometry, edge)};
        m_report.band = m_recipe.band;
    }

    void takeWedge() {
        if (m_preparation.wedge.empty()) {
            return;
        }
        if (m_flat) {
            problem("--wedge needs a volume: an image of one slice has no missing wedge; leave it "
                    "out");
        }
        const WedgeText text = parseWedge(m_preparation.wedge);
        m_recipe.range = text.range;
        m_report.range = text.range;
        if (!text.range) {
            const prepare::TiltSeries series = read("wedge", text.file);
            if (!series.hasAngles) {
                problem("--wedge " + text.file + " lists micrographs, not tilts");
            }
            takeTilts(series.tilts, text.file);
            m_seriesVoltage = series.voltage;
        }
    }

    void takeTilts(const std::vector<prepare::Tilt>& tilts, const std::string& file) {
        m_recipe.tilts = tilts;
        const auto [low, high] = std::ranges::minmax(tilts, {}, &prepare::Tilt::angle);
        m_report.tiltsFrom = file;
        m_report.tilts = static_cast<int>(tilts.size());
        m_report.lowest = low.angle;
        m_report.highest = high.angle;
        for (const prepare::Tilt& tilt : tilts) {
            if (tilt.dose) {
                m_report.dose = std::max(m_report.dose.value_or(0), *tilt.dose);
            }
        }
        for (prepare::Tilt& tilt : m_recipe.tilts) { // that is of --ctf
            tilt.defocus.reset();
            tilt.phaseShift.reset();
        }
    }

    void takeCtf() {
        if (m_preparation.ctf.empty()) {
            return;
        }
        const CtfText text = parseCtf(m_preparation.ctf);
        m_recipe.flipped = m_report.flipped = text.flipped;
        if (text.lens) {
            m_recipe.lens = m_report.lens = text.lens;
            return;
        }
        const prepare::TiltSeries series = read("ctf", text.file);
        m_report.ctfFrom = text.file;
        std::vector<double> defocus;
        for (const prepare::Tilt& tilt : series.tilts) {
            if (!tilt.defocus) {
                problem("--ctf " + text.file + " states no defocus of a tilt; estimate it first");
            }
            defocus.push_back(*tilt.defocus);
        }
        if (m_flat && series.tilts.size() > 1) {
            problem("--ctf " + text.file + " lists " + std::to_string(series.tilts.size()) +
                    " tilts, an image has one; give its defocus, such as --ctf 2.5,300,2.7,0.07");
        }
        prepare::Lens lens;
        const auto take = [&](const std::optional<double>& value, double& to, const char* name,
                              const char* unit) {
            if (!value) {
                m_report.assumed += (m_report.assumed.empty() ? "" : ", ") + std::string("no ") +
                                    name + " stated: " + shortest(to) + unit;
            }
            to = value.value_or(to);
        };
        take(series.voltage, lens.voltage, "voltage", " kV");
        take(series.cs, lens.cs, "spherical aberration", " mm");
        take(series.contrast, lens.contrast, "amplitude contrast", "");
        lens.defocus = std::accumulate(defocus.begin(), defocus.end(), 0.0) /
                       static_cast<double>(defocus.size());
        lens.phaseShift = series.tilts.front().phaseShift.value_or(0);
        m_recipe.lens = m_report.lens = lens;
        if (!m_flat && series.hasAngles) {
            joinTilts(series, text.file);
        }
    }

    /// The defocus of each tilt. Without --wedge the tilts are those of the CTF.
    void joinTilts(const prepare::TiltSeries& series, const std::string& file) {
        if (m_preparation.wedge.empty()) {
            takeTilts(series.tilts, file);
        }
        if (m_recipe.tilts.empty()) {
            return; // a range has the mean
        }
        constexpr double kNear = 1; // degrees
        const auto byAngle = [](const prepare::Tilt& tilt) { return tilt.angle; };
        std::vector<prepare::Tilt> sorted = series.tilts;
        std::ranges::stable_sort(sorted, {}, byAngle);
        std::vector<prepare::Tilt*> own;
        for (prepare::Tilt& tilt : m_recipe.tilts) {
            own.push_back(&tilt);
        }
        std::ranges::stable_sort(own, {}, [](const prepare::Tilt* tilt) { return tilt->angle; });
        bool same = own.size() == sorted.size();
        for (std::size_t i = 0; i < own.size() && same; ++i) {
            same = std::abs(own[i]->angle - sorted[i].angle) <= kNear;
        }
        if (!same) {
            problem(
                "--wedge " + m_preparation.wedge + " has " + std::to_string(own.size()) +
                " tilts and --ctf " + file + " has " + std::to_string(sorted.size()) +
                ", or their angles differ by more than a degree; give files of one tilt series");
        }
        for (std::size_t i = 0; i < own.size(); ++i) {
            own[i]->defocus = sorted[i].defocus;
            own[i]->phaseShift = sorted[i].phaseShift;
            own[i]->dose = own[i]->dose ? own[i]->dose : sorted[i].dose;
        }
    }

    prepare::TiltSeries read(const char* role, const std::string& text) {
        prepare::TiltSeries series = io::readTilts(text, m_inputs.scene->source);
        const std::filesystem::path file = io::splitTomogram(text).first;
        const bool listed = std::ranges::any_of(m_inputs.reports, [&](const InputReport& each) {
            return each.role == role && each.path == file.string();
        });
        if (!listed) {
            m_inputs.reports.push_back(
                {.role = role,
                 .path = file.string(),
                 .sha256 = io::textDigest(readTextFile(file, "list of tilts"))});
        }
        return series;
    }

    Inputs& m_inputs;
    const Preparation& m_preparation;
    bool m_flat;
    std::optional<double> m_seriesVoltage;
    prepare::Recipe m_recipe;
    PreparationReport m_report;
};

/// The scene whitens its own filter.
void filterScene(Inputs& inputs, const Job& job, prepare::Recipe& recipe,
                 const std::stop_token& stop) {
    const base::Stopwatch watch;
    const base::Extents extents = base::extentsOf(inputs.scene->pixels);
    const std::int64_t needed =
        prepare::SceneTransform::bytes(extents) + 4 * base::voxelCount(extents);
    if (needed > memoryOf(job)) {
        throw Error(ErrorCode::Memory, "filtering the scene needs " + bytesText(needed) +
                                           ", more than the " + bytesText(memoryOf(job)) +
                                           " of --memory or of the machine; raise --memory, or "
                                           "leave out --band and --whiten");
    }
    base::TilePool pool(threadsOf(job));
    const base::View<const std::uint8_t> mask =
        inputs.sceneMask ? inputs.sceneMask->support.view() : base::View<const std::uint8_t>();
    prepare::SceneTransform transform(base::viewOf(inputs.scene->pixels), mask,
                                      inputs.geometry.spacing, pool, stop);
    if (!transform.stopped() && job.preparation.whiten) {
        recipe.spectrum = transform.spectrum();
    }
    if (!transform.stopped()) {
        const prepare::Response both = prepare::ofScene(prepare::Response(recipe));
        inputs.preparedScene = std::make_shared<const base::AnyImage>(transform.filtered(both));
    }
    inputs.preparation->scene = true;
    inputs.preparation->sceneMs = watch.ms();
}

/// The filters of the members of a bank: one of their box and, for a pose between those of the
/// bank, larger ones.
class Filters {
  public:
    Filters(const base::Point& spacing, std::shared_ptr<const prepare::Response> response)
        : m_spacing(spacing), m_response(std::move(response)) {}

    [[nodiscard]] std::shared_ptr<const prepare::MemberFilter> of(const base::Extents& box) {
        const std::lock_guard guard(m_lock);
        if (m_first && m_first->holds(box)) {
            return m_first;
        }
        // Of that box alone: which other boxes were asked for before must not change a digit.
        for (const auto& [own, filter] : m_larger) {
            if (own == box) {
                return filter;
            }
        }
        auto made = std::make_shared<const prepare::MemberFilter>(box, m_spacing, *m_response);
        if (m_first) {
            m_larger.emplace_back(box, made);
        } else {
            m_first = made;
        }
        return made;
    }

  private:
    std::mutex m_lock;
    base::Point m_spacing;
    std::shared_ptr<const prepare::Response> m_response;
    std::shared_ptr<const prepare::MemberFilter> m_first; ///< of the members
    std::vector<std::pair<base::Extents, std::shared_ptr<const prepare::MemberFilter>>> m_larger;
};

} // namespace

void prepareScene(Inputs& inputs, const Job& job, const std::stop_token& stop) {
    if (!job.preparation.filters()) {
        if (job.preparation.polarity != Polarity::Bright) {
            inputs.preparation.emplace();
            inputs.preparation->polarity = job.preparation.polarity;
        }
        return;
    }
    if (!job.operation.traits().ignoresContrast) {
        problem("--band, --whiten, --wedge and --ctf prepare images for operation lcc, not " +
                std::string(method::name(job.operation)) + "; choose lcc, or leave them out");
    }
    const bool flat = base::isFlat2D(base::extentsOf(inputs.scene->pixels));
    for (const TemplateInput& templ : inputs.templates) {
        if (base::isFlat2D(templ.extents()) != flat) {
            problem("the template " + templ.image->source +
                    " has one slice and the scene more; "
                    "--band, --whiten, --wedge and --ctf filter volumes by volumes");
        }
    }
    Recipes recipes(inputs, job, flat);
    prepare::Recipe recipe = recipes.recipe();
    inputs.preparation = recipes.report();
    inputs.preparation->stated = job.spacing;
    if (job.preparation.filtersScene()) {
        filterScene(inputs, job, recipe, stop);
    }
    for (const std::vector<int>& group : inputs.groups) {
        const base::Extents n = inputs.templates[static_cast<std::size_t>(group.front())].extents();
        const base::Point& s = inputs.geometry.spacing;
        prepare::Recipe own = recipe;
        own.thickness = std::max({static_cast<double>(n.x) * std::abs(s[0]),
                                  static_cast<double>(n.y) * std::abs(s[1]),
                                  static_cast<double>(n.z) * std::abs(s[2])});
        inputs.responses.push_back(std::make_shared<const prepare::Response>(std::move(own)));
    }
}

void prepareBank(Inputs& inputs, rotation::PoseBank& bank) {
    const std::size_t group = inputs.banks.size();
    if (inputs.responses.empty()) {
        return;
    }
    const auto filters =
        std::make_shared<Filters>(inputs.geometry.spacing, inputs.responses[group]);
    inputs.preparation->points =
        group == 0 ? filters->of(bank.box())->points() : inputs.preparation->points;
    bank.prepareBy([filters](rotation::TurnedTemplate& member) {
        filters->of(member.support.extents())->apply(member);
    });
}

void prepareTemplates(Inputs& inputs) {
    for (std::size_t i = 0; i < inputs.responses.size(); ++i) {
        const std::vector<int>& group = inputs.groups[i];
        const base::Extents n = inputs.templates[static_cast<std::size_t>(group.front())].extents();
        const prepare::MemberFilter filter(n, inputs.geometry.spacing, *inputs.responses[i]);
        inputs.preparation->points = i == 0 ? filter.points() : inputs.preparation->points;
        for (const int number : group) {
            TemplateInput& templ = inputs.templates[static_cast<std::size_t>(number)];
            const method::MaskedView view = templ.view();
            base::Image<double> made = filter.filtered(view.pixels, view.mask, view.weights);
            if (memberPixel(base::pixelType(view.pixels)) == base::PixelType::Float64) {
                templ.changed = std::move(made);
            } else {
                base::Image<float> single(n);
                std::transform(made.data(), made.data() + made.count(), single.data(),
                               [](double value) { return static_cast<float>(value); });
                templ.changed = std::move(single);
            }
        }
    }
}

} // namespace detail

} // namespace flcc::job
