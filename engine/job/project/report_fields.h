#pragma once

#include "engine/job/project/fields.h"
#include "engine/job/report.h"
#include "engine/job/result.h"

// What a report holds, for FLCC_FIELDS: of plans, of maps, of peaks, of what a run found.

namespace flcc::job::detail::project {

template <> inline constexpr int kValues<base::PixelType> = 10;
template <> inline constexpr int kValues<base::Status> = static_cast<int>(base::kStatusCount);
template <> inline constexpr int kValues<base::UnitSource> = 3;
template <> inline constexpr int kValues<base::WorldAxes> = 3;
template <> inline constexpr int kValues<method::Extent> = 3;
template <> inline constexpr int kValues<method::Outside> = 3;
template <> inline constexpr int kValues<method::WindowStatistics> = 3;
template <> inline constexpr int kValues<method::Precision> = 2;
template <> inline constexpr int kValues<method::Transforms> = 3;
template <> inline constexpr int kValues<method::CandidateVerdict> = 4;
template <> inline constexpr int kValues<plan::Planning> = 3;
template <> inline constexpr int kValues<plan::TimesFrom::Kind> = 4;
template <> inline constexpr int kValues<match::Law> = 2;
template <> inline constexpr int kValues<match::NullTemplate> = 4;
template <> inline constexpr int kValues<match::PlacedBy> = 4;
template <> inline constexpr int kValues<match::Normalise> = 3;
template <> inline constexpr int kValues<match::Decision> = static_cast<int>(match::kDecisionCount);
template <> inline constexpr int kValues<AuditVerdict> = 3;
template <> inline constexpr int kValues<Hand> = 3;
template <> inline constexpr int kValues<Polarity> = 3;

FLCC_FIELDS(base::Index, x, y, z)
FLCC_FIELDS(base::Extents, x, y, z)
FLCC_FIELDS(base::Box, corner, extents)
FLCC_FIELDS(base::Spacing, size, unit)
FLCC_FIELDS(base::Geometry, origin, spacing, direction, unit, unitSource, axes)
FLCC_FIELDS(io::FileDigest, path, sha256)

/// A turned picture is a truth value, as Orientation has no words.
template <class Archive> void fields(Archive& archive, io::Reading& self) {
    { [[maybe_unused]] const auto& [orientation, image, part, resolution] = self; }
    bool stored = self.orientation == io::Orientation::Stored;
    archive("stored", stored);
    self.orientation = stored ? io::Orientation::Stored : io::Orientation::Applied;
    archive("image", self.image);
    archive("part", self.part);
    archive("resolution", self.resolution);
}

/// An operation is its name.
template <class Archive> void fields(Archive& archive, method::Operation& self) {
    std::string word(name(self));
    archive("name", word);
    const auto named = method::operationNamed(word);
    if (!named) {
        refuse("\"" + word + "\" is no operation that this version knows");
    }
    self = *named;
}
template <class Archive> void fields(Archive& archive, method::Residual& self) {
    archive("value", self.value);
}

// Plans.
FLCC_FIELDS(method::ProblemOnDevice, map, runs)
FLCC_FIELDS(method::Problem, operation, extent, scene, templ, scenePixel, templPixel, promise,
            precision, recompute, outside, minOverlap, mask, weights, ownMasks, sceneMask,
            statistics, templates, searchSums, residual, onDevice)
FLCC_FIELDS(method::LimitsOnDevice, scene, memory)
FLCC_FIELDS(method::Limits, threads, memoryBytes, onDevice, transforms)
FLCC_FIELDS(method::SceneStatistics, minimum, maximum, mean, nonFinite, lowContrast, flatShare,
            steps, lowest, energy, leastEnergy, templSteps)
FLCC_FIELDS(method::CandidateOnDevice, inFlight, memory)
FLCC_FIELDS(method::Candidate, method, device, tile, threads, onDevice, parts, transforms)
FLCC_FIELDS(method::DeviceTimes, setup, packing, upload, compute, download, joining, devices,
            uploads, downloaded)
FLCC_FIELDS(method::PredictionOnDevice, bytes, memory, times, keepsScene)
FLCC_FIELDS(method::Prediction, ms, operations, hostBytes, errorBound, fftPlanning, setupMs,
            tilesInFlight, paddingWaste, onDevice)
FLCC_FIELDS(method::CandidateReport, candidate, verdict, reason, prediction, measuredMs, sampleMs,
            forMemory)
FLCC_FIELDS(plan::CriticalSize, predicted, measured)
FLCC_FIELDS(plan::TimesFrom, kind, remembered, when)
FLCC_FIELDS(plan::PlanReport, problem, limits, statistics, planning, candidates, planningMs,
            calibrated, known, times, critical)

// Runs and maps.
FLCC_FIELDS(Spread, min, median, max)
FLCC_FIELDS(RunReport, executeMs, streamMs, readMs, writeMs, peaksMs, stagesMs, times, failures,
            peakHostBytes, threads, device)
FLCC_FIELDS(match::MapStatistics, minimum, maximum, mean, standardDeviation, count,
            roundingDeviation)
FLCC_FIELDS(method::ScoreSums, count, sum, squares, rounding, anyRange, exponent)
FLCC_FIELDS(method::MapFacts, statusCounts, overRange, recomputed, boundMedian, largestBound,
            largestRelative, largestLowConf, largestRounding, scores)
FLCC_FIELDS(match::BestPlaces, value, occurrences, tolerance)
FLCC_FIELDS(MapReport, statistics, facts, best)
FLCC_FIELDS(AuditReport, verdict, reason, checked, wrongStatus, largestDeviation, largestOverBound,
            medianOverBound, ms)
FLCC_FIELDS(method::Separability, level, residual)
FLCC_FIELDS(TemplateReport, source, extents, type, support, masked, weighted, form, reference)
FLCC_FIELDS(GroupReport, templates, mapBytes, plan, besideBytes, run, map, audit)

// Searches.
FLCC_FIELDS(OtherSearch, of, predictedMs, ms)
FLCC_FIELDS(PrunedReport, edge, placements, nodes, kept, points, limits, scores, prepareMs,
            searchMs)
FLCC_FIELDS(SearchRow, search, verdict, reason, predictedMs, isMore, measuredMs)
FLCC_FIELDS(PosesReport, members, turns, scales, mirror, flat, symmetry, step, radius, nside,
            inPlane, edges, box, batch, memoryBytes, search, searches, pruned, predictedMs,
            perSecond, refineMs, kept, done)
FLCC_FIELDS(SearchReport, members, likeness, voxels, mean, deviation, largestZ, at)
FLCC_FIELDS(HandednessReport, given, mirrored, threshold, compared, above, givenMedian,
            mirroredMedian, places, won, p, alike, verdict, reason)
FLCC_FIELDS(prepare::Band, low, high)
FLCC_FIELDS(prepare::TiltRange, from, to)
FLCC_FIELDS(prepare::Lens, voltage, cs, contrast, defocus, phaseShift)
FLCC_FIELDS(PreparationReport, band, unit, whiten, range, tiltsFrom, tilts, lowest, highest, dose,
            lens, flipped, ctfFrom, assumed, points, scene, sceneMs, polarity, stated)

// Thresholds.
FLCC_FIELDS(match::LawPart, count, deviation, members, freedom, limit, light, volume, independent,
            level)
FLCC_FIELDS(match::ScoreLaw, law, mean, deviation, freedom, count, roughness, axes, dimensions,
            turns, parts, offset, tiles, tile, partial, skewness, skewnessError, lowest, read,
            kinds)
FLCC_FIELDS(match::NullCheck, likeness, peaks, matched, ratio, withdrawn)
FLCC_FIELDS(match::ScoreGap, above, upper, lower)
/// `rare` follows from the maps; it is stored whether it is used.
template <class Archive> void fields(Archive& archive, match::SearchLaw& self) {
    bool byRarity = !self.rare.empty();
    archive("maps", self.maps);
    archive("nullScores", self.nullScores);
    archive("null", self.null);
    archive("check", self.check);
    archive("searches", self.searches);
    archive("byRarity", byRarity);
    if (byRarity && self.rare.empty()) {
        self.compareByRarity();
    }
}
FLCC_FIELDS(match::PoseContrast, other, spread, own, ownDeviation)
FLCC_FIELDS(match::OtherThings, contrast, places, others)
FLCC_FIELDS(ThresholdReport, value, values, chosenBy, asked, law, falsePositives, warnings, gap,
            others)

// Peaks.
FLCC_FIELDS(rotation::Quaternion, w, x, y, z)
FLCC_FIELDS(rotation::Pose, turn, scale, mirrored)
FLCC_FIELDS(match::PeakSearch, mean, deviation, z)
FLCC_FIELDS(match::Refinement, searched, score, turnError, scaleError, scaleEnds)
FLCC_FIELDS(match::PeakOverlap, share, corner, templ)
FLCC_FIELDS(match::Peak, score, bound, status, corner, centre, world, shift, error, placedBy,
            curvature, templ, pose, refinement, dark, rival, zscore, falsePositives, overlap,
            sharpness, search, madeOf)
FLCC_FIELDS(match::PeakKey, corner, templ)
/// A list of places and what was decided there.
template <class Archive> void fields(Archive& archive, match::DecisionList& self) {
    std::vector<std::pair<match::PeakKey, match::Decision>> all(self.all().begin(),
                                                                self.all().end());
    archive("decided", all);
    for (const auto& [key, decision] : all) {
        self.set(key, decision);
    }
}

// The rest of a report.
FLCC_FIELDS(InputReport, role, path, sha256, dataFile, series, note, counts, reading)
FLCC_FIELDS(StreamReport, scene, scenes, source, planOf, preparedOf, readAhead, inFlight)
FLCC_FIELDS(FrameReport, frame, executeMs, streamMs, peaksMs, device, statistics, facts, verdict,
            peaks, best, peaksIncomplete, threshold)
FLCC_FIELDS(Environment, versions, processor, instructions, devices)
FLCC_FIELDS(StackReport, file, size, count, leftOut, ranks, normalise, subvoxel, turned)
FLCC_FIELDS(prepare::RingCorrelation, frequency, correlation, resolution)
FLCC_FIELDS(AverageReport, templ, file, size, count, leftOut, inverted, normalise, meanVariance,
            halves, resolution, unit)

/// Written by hand for two members: the comparison with a truth, which *Compare* makes again from
/// its list, and the peaks, which stand beside the report.
template <class Archive> void fields(Archive& archive, JobReport& self) {
    {
        [[maybe_unused]] const auto& [cancelled, plan, besideBytes, scene, geometry, channels,
                                      region, templates, poses, search, handedness, others,
                                      preparation, groups, partialPeaks, run, map, audit, peaks,
                                      decisions, threshold, stack, averages, mapSha256, commandLine,
                                      jobFile, peaksIncomplete, truth, environment, inputs,
                                      warnings, frames, stream, scenes] = self;
    }
    FLCC_EACH(FLCC_FIELD, cancelled, plan, besideBytes, scene, geometry, channels, region,
              templates, poses, search, handedness, others, preparation, groups, partialPeaks, run,
              map, audit, decisions, threshold, stack, averages, mapSha256, commandLine, jobFile,
              peaksIncomplete, environment, inputs, warnings, frames, stream, scenes)
}

} // namespace flcc::job::detail::project
