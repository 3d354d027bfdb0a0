#include "engine/job/options/options.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/job/options/common_options.h"
#include "engine/job/options/export_options.h"
#include "engine/job/options/list_options.h"
#include "engine/job/options/option_kinds.h"
#include "engine/plan/planner.h"
#include "engine/rotation/cover.h"

namespace flcc::job::detail {

namespace {

using namespace kinds;

Option<Job> sceneOption() {
    Option<Job> option{.name = "scene",
                       .value = "FILE...",
                       .help =
                           "scenes, each searched on its own; the first may be a plain argument",
                       .many = true};
    option.getAll = [](const Job& job) {
        std::vector<std::string> values;
        if (!job.scene.empty()) {
            values.push_back(job.scene.string());
        }
        for (const path& file : job.furtherScenes) {
            values.push_back(file.string());
        }
        return values;
    };
    option.setAll = [](Job& job, const std::vector<std::string>& values) {
        job.scene.clear();
        job.furtherScenes.clear();
        for (const std::string& text : values) {
            const path file = toFile("scene", text);
            if (job.scene.empty()) {
                job.scene = file;
            } else {
                job.furtherScenes.push_back(file);
            }
        }
    };
    return option;
}

Option<Job> speciesOption() {
    Option<Job> option{.name = "species",
                       .value = "NAME",
                       .help =
                           "with --truth: what a template is of, one for each in their order, as "
                           "the list names it in a column species or name (default: by the names "
                           "of their files) (repeat)"};
    option.getAll = [](const Job& job) { return job.species; };
    option.setAll = [](Job& job, const std::vector<std::string>& values) { job.species = values; };
    return option;
}

Option<Job> cropOption() {
    Option<Job> option{
        .name = "crop",
        .value = "X,Y[,Z]:W,H[,D]",
        .help = "cut a template from the scene: corner:extents; numbered before files (repeat)"};
    option.getAll = [](const Job& job) {
        std::vector<std::string> values;
        for (const base::Box& crop : job.crops) {
            values.push_back(base::toString(crop));
        }
        return values;
    };
    option.setAll = [](Job& job, const std::vector<std::string>& values) {
        job.crops.clear();
        for (const std::string& text : values) {
            job.crops.push_back(parseBox(text));
        }
    };
    return option;
}

Option<Job> operationOption() {
    std::vector<std::string> words;
    for (const method::OperationTraits& traits : method::operationTable()) {
        words.emplace_back(traits.name);
    }
    return wordOption<Job>(
        "operation", "value computed for every placement", std::move(words),
        [](const Job& job) { return std::string(method::name(job.operation)); },
        [](Job& job, const std::string& text) {
            job.operation = method::operationNamed(text).value_or(method::Operation());
        });
}

/// The threshold of peaks: `minScore` or `maxScore`.
Option<Job> thresholdOption(std::string name, std::string value, std::string help,
                            std::optional<double> Job::*member) {
    return {.name = name,
            .kind = ValueKind::Number,
            .value = std::move(value),
            .help = std::move(help),
            .get =
                [member](const Job& job) {
                    const bool shown =
                        job.*member && *(job.*member) != job.operation.traits().threshold;
                    return shown ? std::optional(shortest(*(job.*member))) : std::nullopt;
                },
            .set =
                [member, name](Job& job, const std::string& text) {
                    constexpr double kMost = std::numeric_limits<double>::max();
                    job.*member = toNumber(name, text, -kMost, kMost);
                }};
}

/// `--min-score`: a number, or auto.
Option<Job> minScoreOption() {
    Option<Job> option = thresholdOption(
        "min-score", "auto|SCORE",
        "lowest value of a peak (default: auto for lcc, else none); auto: as --false-positives 1",
        &Job::minScore);
    option.kind = ValueKind::NumberOrText;
    option.get = [](const Job& job) {
        return job.minScore ? std::optional(shortest(*job.minScore)) : std::nullopt;
    };
    option.set = [number = option.set](Job& job, const std::string& text) {
        job.falsePositives.reset(); // of a job file; an option of its own comes later
        job.zscore.reset();
        if (text == "auto") {
            job.minScore.reset();
        } else {
            number(job, text);
        }
    };
    return option;
}

/// `--search-statistics`: files, or without them the word on.
Option<Job> searchStatisticsOption() {
    return {.name = "search-statistics",
            .value = "FILE|on",
            .help = "of lcc: mean and deviation of the scores of all orientations or templates at "
                    "each placement, and z = (best - mean) / deviation; writes FILE-mean, "
                    "FILE-deviation and FILE-z as .mha and others; on: for peaks and report only",
            .get =
                [](const Job& job) {
                    return !job.searchMaps.empty() ? std::optional(job.searchMaps.string())
                           : job.searchStatistics  ? std::optional<std::string>("on")
                                                   : std::nullopt;
                },
            .set =
                [](Job& job, const std::string& text) {
                    job.searchStatistics = true;
                    job.searchMaps = text == "on" ? path() : toFile("search-statistics", text);
                }};
}

/// A text of a search over poses; `check` throws for one without a meaning.
Option<Job> poseText(std::string name, std::string value, std::string help,
                     std::string Poses::*member, void (*check)(const std::string&)) {
    return {.name = name,
            .value = std::move(value),
            .help = std::move(help),
            .get =
                [member](const Job& job) {
                    const std::string& text = job.poses.*member;
                    return text.empty() ? std::nullopt : std::optional(text);
                },
            .set =
                [member, name, check](Job& job, const std::string& text) {
                    if (text.empty()) {
                        throw base::Error(base::ErrorCode::CommandLine,
                                          "--" + name + " needs a value");
                    }
                    check(text);
                    job.poses.*member = text;
                },
            .clear = [member](Job& job) { (job.poses.*member).clear(); }};
}

/// A text of the preparation for noise.
Option<Job> preparationText(std::string name, std::string value, std::string help,
                            std::string Preparation::*member) {
    return {.name = name,
            .value = std::move(value),
            .help = std::move(help),
            .get =
                [member](const Job& job) {
                    const std::string& text = job.preparation.*member;
                    return text.empty() ? std::nullopt : std::optional(text);
                },
            .set =
                [member, name](Job& job, const std::string& text) {
                    if (text.empty()) {
                        throw base::Error(base::ErrorCode::CommandLine,
                                          "--" + name + " needs a value");
                    }
                    Preparation read;
                    read.*member = text;
                    requirePreparation(read);
                    job.preparation.*member = text;
                },
            .clear = [member](Job& job) { (job.preparation.*member).clear(); }};
}

std::vector<std::string> methodNames() {
    std::vector<std::string> names;
    for (const method::Method* method : plan::methods()) {
        if (std::ranges::find(names, method->name()) == names.end()) {
            names.emplace_back(method->name());
        }
    }
    return names;
}

Option<Job> recomputeOption() {
    return wordOption<Job>(
        "recompute",
        "compute scores whose empirical bound breaks the promise again in double, or mark them "
        "LOWCONF",
        {"on", "off"}, [](const Job& job) { return std::string(job.recompute ? "on" : "off"); },
        [](Job& job, const std::string& text) { job.recompute = text == "on"; });
}

Option<Job> channelOption() {
    Option<Job> option = rows::channel();
    option.kind = ValueKind::NumberOrText;
    option.value = "N|all";
    option.help = "channel of a file with several channels, from 0; all: ssd and sad of colour "
                  "images, summed over channels";
    option.get = [](const Job& job) {
        return job.channel == kAllChannels ? std::optional<std::string>("all")
                                           : rows::channel().get(job);
    };
    option.set = [](Job& job, const std::string& text) {
        if (text == "all") {
            job.channel = kAllChannels;
        } else {
            rows::channel().set(job, text);
        }
    };
    return option;
}

Option<Job> minDistanceOption() {
    return {
        .name = "min-distance",
        .kind = ValueKind::NumberOrText,
        .value = "auto|VOXELS|LENGTH",
        .help = "least distance between two peaks, in voxels (of oblong ones: shortest edges) or "
                "with a unit such as 5mm; auto: half the template extent on every axis",
        .get =
            [](const Job& job) {
                return job.minDistance
                           ? std::optional(shortest(*job.minDistance) + job.distanceUnit)
                           : std::nullopt;
            },
        .set =
            [](Job& job, const std::string& text) {
                job.minDistance.reset();
                job.distanceUnit.clear();
                if (text == "auto") {
                    return;
                }
                const std::size_t unit = text.find_last_of("0123456789.") + 1; // 0 without a digit
                if (unit > 0 && base::metresOf(text.substr(unit))) {
                    job.distanceUnit = text.substr(unit);
                }
                job.minDistance =
                    toNumber("min-distance", text.substr(0, text.size() - job.distanceUnit.size()),
                             0, std::numeric_limits<double>::max());
            }};
}

Option<Job> maxOverlapOption() {
    return {.name = "max-overlap",
            .kind = ValueKind::NumberOrText,
            .value = "auto|SHARE",
            .help = "largest share of the smaller support, turned as it lies, that a peak may have "
                    "in common with a better one; 1: any; auto: 0.3 of searches over rotations, "
                    "scales or hands, else any",
            .get =
                [](const Job& job) {
                    return job.maxOverlap ? std::optional(shortest(*job.maxOverlap)) : std::nullopt;
                },
            .set =
                [](Job& job, const std::string& text) {
                    job.maxOverlap.reset();
                    if (text != "auto") {
                        job.maxOverlap = toNumber("max-overlap", text, 0, 1);
                    }
                },
            .clear = [](Job& job) { job.maxOverlap.reset(); },
            .most = 1};
}

std::vector<Option<Job>> makeOptions() {
    using method::Extent;
    using method::Outside;
    using method::WindowStatistics;
    std::vector<Option<Job>> all{
        sceneOption(),
        filesOption<Job>("template",
                         "template image; the first may be the second plain argument (repeat)",
                         &Job::templates),
        cropOption(),
        fileOption<Job>("template-out", "FILE",
                        "write the template, not inverted, if the job has one template",
                        &Job::templateOut),
        filesOption<Job>(
            "mask",
            "mask, nonzero voxels count, soft ones by weight: a file, sphere:R[,SOFT], "
            "cylinder:R,H[,SOFT], "
            "box:XxYxZ[,SOFT] in voxels or lengths (sphere:12,3nm), box, alpha: the "
            "opaque part (the default of templates with opacity), or none; one for all "
            "templates, or one for each (repeat)",
            &Job::masks),
        flagOption<Job>("resample",
                        "bring templates and masks of another spacing, or of oblique directions, "
                        "to the grid of the scene",
                        &Job::resample),
        flagOption<Job>("ignore-directions",
                        "compare templates and masks as their files store them, whatever "
                        "directions of axes they state",
                        &Job::ignoreDirections),
        flagOption<Job>(
            "invert",
            "mirror the templates' values between the smallest and the largest one under "
            "the mask; every lcc score changes its sign",
            &Job::invert),
        channelOption(),
        rows::frame(),
        rows::orientation(),
        rows::image(),
        rows::part(),
        rows::spacing(),
        rows::world(),
        rows::stream(
            "search every slice of the scene, a stack, on its own; one output for all: map "
            "as .mha or .nrrd, peaks with a column frame"),
        rows::region("search only this box; panels lie inside it completely (default: all)"),
        fileOption<Job>("scene-mask", "FILE",
                        "mask of the scene with the same extents: nonzero voxels count, of a "
                        "soft one those from 0.5 on",
                        &Job::sceneMask),
        poseText("rotations", "STEP|FROM:TO:STEP|list:FILE|auto:DIAMETER",
                 "also search turned templates: every STEP degrees of the whole circle or of all "
                 "orientations of a volume, a range, a list of angles, or the step that an object "
                 "of this diameter needs",
                 &Poses::rotations,
                 [](const std::string& text) { (void)rotation::parseRotations(text); }),
        poseText("scales", "FROM:TO:FACTOR|S,S,...",
                 "also search templates of other sizes, such as 0.8:1.25:1.05", &Poses::scales,
                 [](const std::string& text) { (void)rotation::parseScales(text); }),
        flagOption<Job>(
            "mirror", "also search the mirrored templates",
            [](auto& job) -> auto& { return job.poses.mirror; }),
        poseText("symmetry", "C1..C999|D1..D999|T|O|I|I1|I2",
                 "point group of the templates on the axes of RELION: of equal rotations one is "
                 "searched (default: C1)",
                 &Poses::symmetry,
                 [](const std::string& text) { (void)rotation::pointGroup(text); }),
        searchStatisticsOption(),
        flagOption<Job>(
            "yes", "search more than 10000 orientations",
            [](auto& job) -> auto& { return job.poses.yes; }),
        wordOption<Job>(
            "refine",
            "of a search over rotations or scales by lcc: also find the best pose of each peak "
            "between those that are searched",
            {"on", "off"},
            [](const Job& job) { return std::string(job.poses.refine ? "on" : "off"); },
            [](Job& job, const std::string& text) { job.poses.refine = text == "on"; }),
        enumOption<Job>(
            "search",
            "of a search over rotations or scales: score every placement; leave out those that "
            "cannot reach --min-score (the same peaks, no map); those that hardly can (may miss "
            "peaks); or the faster of the first two",
            [](auto& job) -> auto& { return job.poses.search; },
            std::vector{Search::Exhaustive, Search::Pruned, Search::Heuristic, Search::Auto}),
        {.name = "resume",
         .value = "FOLDER",
         .help = "keep the finished part of a search over rotations or scales in this folder, with "
                 "the sums of --search-statistics, and go on from the part that it keeps",
         .get =
             [](const Job& job) {
                 return job.resume.empty() ? std::nullopt : std::optional(job.resume.string());
             },
         .set = [](Job& job, const std::string& text) { job.resume = toFile("resume", text); },
         .clear = [](Job& job) { job.resume.clear(); }},
        preparationText("band", "LOW,HIGH[UNIT]",
                        "leave only wavelengths from LOW to HIGH, in voxels or with a unit, of "
                        "templates and scene, such as 3,40 or 30,400A; 0 leaves a side open",
                        &Preparation::band),
        flagOption<Job>(
            "whiten",
            "divide templates and scene by the mean amplitudes of the scene at each frequency",
            [](auto& job) -> auto& { return job.preparation.whiten; }),
        preparationText("wedge", "A,B|FILE",
                        "take from the templates what tilts from -A to B degrees about y do not "
                        "tell (0 to 90 each), or those of a file: .tlt .rawtlt .mdoc .star .xml",
                        &Preparation::wedge),
        preparationText("ctf", "[flipped:]FILE|UM[,KV[,CS[,CONTRAST]]]",
                        "give the templates the contrast transfer of a tilt series: .star of "
                        "RELION 5, .xml of Warp, .defocus of IMOD, or one defocus in um; flipped: "
                        "the scene's phases are flipped",
                        &Preparation::ctf),
        enumOption<Job>(
            "polarity", "sign of what is found: that of the templates, the other one, or both",
            [](auto& job) -> auto& { return job.preparation.polarity; },
            std::vector{Polarity::Bright, Polarity::Dark, Polarity::Both}),
        operationOption(),
        enumOption<Job>(
            "extent", "placements: inside the scene, with the centre inside, or all that touch it",
            &Job::extent, std::vector{Extent::Valid, Extent::Same, Extent::Full}),
        enumOption<Job>("outside",
                        "voxels outside scene or mask: zero: 0; eibl: panel mean in the numerator; "
                        "overlap: ignored",
                        &Job::outside, std::vector{Outside::Zero, Outside::Eibl, Outside::Overlap}),
        numberOption<Job>("min-overlap", "0.5",
                          "with --outside overlap: least share of the support inside",
                          &Job::minOverlap, 0, 1),
        rows::method("method that computes the scores; auto: the plan chooses", methodNames()),
        rows::tile(),
        rows::transforms(),
        enumOption<Job>(
            "statistics", "sums under the support: the faster kind, window sums, or correlations",
            &Job::statistics,
            std::vector{WindowStatistics::Auto, WindowStatistics::Box, WindowStatistics::Fourier}),
        rows::precision("arithmetic of the scores; with double the map is float64"),
        numberOption<Job>("promise", "1e-4",
                          "largest empirical error bound of a score that is not marked LOWCONF",
                          &Job::promise, kLeastPromise, 1),
        recomputeOption(),
        enumOption<Job>(
            "audit",
            "check scores against the definition after the run; auto: if it takes under 2 %",
            &Job::audit, std::vector{Audit::Auto, Audit::On, Audit::Off}),
        rows::device("device that computes the scores (flcc-cli devices lists them)"),
        rows::threads(),
        rows::memory(),
        rows::planning(),
        flagOption<Job>("time-again",
                        "planning measures anew and forgets the times that it remembers",
                        &Job::timeAgain),
        rows::plan(),
        rows::repeat(),
        minScoreOption(),
        numberOption<Job>("false-positives", "N",
                          "lowest score of a peak of lcc: the one at which N false positives are "
                          "expected in the whole search (default: 1)",
                          &Job::falsePositives, 1e-9, 1e12),
        numberOption<Job>("zscore", "Z",
                          "lowest score of a peak of lcc: Z standard deviations above the mean",
                          &Job::zscore, -1000, 1000),
        fileOption<Job>("truth", "FILE",
                        "list of true positions: the summary and the report compare the peaks "
                        "with it",
                        &Job::truth),
        {.name = "tolerance",
         .value = "DISTANCE",
         .help = "with --truth: largest distance of a peak from a true position, in voxels or with "
                 "a unit, such as 2um (default: 3)",
         .get =
             [](const Job& job) {
                 return job.tolerance == Tolerance() ? std::nullopt
                                                     : std::optional(toString(job.tolerance));
             },
         .set = [](Job& job, const std::string& text) { job.tolerance = parseTolerance(text); }},
        speciesOption(),
        fileOption<Job>("all-peaks", "FILE",
                        "of several scenes: one list of the peaks of all, whose rows name their "
                        "tomogram, in the format of --peaks-format: csv, tsv, relion4, relion5, "
                        "relion-micrograph, warp, m, dynamo, dynamo0 or stopgap",
                        &Job::allPeaks),
        fileOption<Job>("comparison", "FILE",
                        "with --truth: peaks and true positions with where they were found, as "
                        ".csv, .tsv or .json",
                        &Job::comparison),
        enumOption<Job>("null",
                        "count false positives of lcc by a search for the mirrored template, one "
                        "with scrambled phases, or a sphere of its size; none: by the law of the "
                        "scores",
                        &Job::null,
                        std::vector{match::NullTemplate::None, match::NullTemplate::Mirror,
                                    match::NullTemplate::Phase, match::NullTemplate::Sphere}),
        flagOption<Job>("handedness",
                        "of lcc: also search for the mirrored templates and tell which hand the "
                        "scene holds",
                        &Job::handedness),
        thresholdOption("max-score", "SCORE",
                        "largest value of a peak, where the smallest is best (default: none)",
                        &Job::maxScore),
        countOption<Job>("max-peaks", "100", "largest number of peaks listed", &Job::maxPeaks, 1,
                         kAnyCount),
        minDistanceOption(),
        maxOverlapOption(),
        flagOption<Job>("partial-peaks", "panels that leave the scene or its mask may be peaks",
                        &Job::partialPeaks),
        flagOption<Job>("list-others",
                        "with --rotations in volumes and an automatic threshold: also list places "
                        "where other orientations of the template score almost as much as the best "
                        "one, as at other particles",
                        &Job::listOthers),
        fileOption<Job>("map", "FILE", "write the scores: .mha .nrrd .nii .nii.gz .mrc .tif .h5",
                        &Job::map),
        fileOption<Job>("status", "FILE", "write the status of every score", &Job::status),
        fileOption<Job>("index", "FILE", "write the template that gave every score, -1 without one",
                        &Job::index),
        fileOption<Job>("peaks", "FILE",
                        "write the peaks: .csv .tsv .json and others, see peaks-format",
                        &Job::peaks),
        rows::report("FILE",
                     "write the plan, times and peaks: .json, .html (a page with pictures) or "
                     ".txt"),
        fileOption<Job>("heatmap", "FILE.png", "write a coloured picture of the scores",
                        &Job::heatmap),
        indexOption<Job>("slice", "Z",
                         "slice of heatmap, figure and page (default: that of the best peak)",
                         &Job::slice),
    };
    const auto after = std::ranges::find(all, "peaks", &Option<Job>::name) + 1;
    const std::vector<Option<Job>> lists = peakListOptions();
    all.insert(after, lists.begin(), lists.end());
    const std::vector<Option<Job>> exports = exportOptions();
    all.insert(all.end(), exports.begin(), exports.end());
    return all;
}

Command<Job> matchCommand() {
    return {.name = "match",
            .places = {{"scene"}, {"template", "crop"}},
            .usage = "a scene and one template as plain arguments; further ones follow --scene and "
                     "--template",
            .replace =
                [](Job& job, const GivenOptions& given) {
                    settlePlan(job, given);
                    if (given.contains("template") || given.contains("crop")) { // all of them
                        job.crops.clear();
                        job.templates.clear();
                    }
                },
            .require = requireThreshold};
}

} // namespace

const OptionTable<Job>& matchOptions() {
    static const OptionTable<Job> kTable(matchCommand(), makeOptions());
    return kTable;
}

} // namespace flcc::job::detail
