#include "engine/job/report.h"

#include <algorithm>

#include "engine/job/report/json_rows.h"
#include "engine/job/report/text.h"

namespace flcc::job {

namespace {

using detail::fixed;

/// A number of peaks: "0.07", "1.2", "37".
std::string countText(double value) {
    return detail::shortest(std::stod(fixed(value, value < 0.01 ? 12 : value < 10 ? 2 : 0)));
}

} // namespace

std::string lawText(const match::SearchLaw& law) {
    if (law.hasNull()) {
        const std::string templates = law.maps.size() > 1 ? " templates" : " template";
        return "counted with " + (law.null == match::NullTemplate::Sphere
                                      ? "a sphere of the size of the" + templates
                                      : (law.null == match::NullTemplate::Mirror
                                             ? "the mirrored" + templates
                                             : "the phase-scrambled" + templates));
    }
    const match::ScoreLaw& first = law.maps.front();
    std::string text = first.law == match::Law::Student ? "Student's t, " : "Gaussian, ";
    text += "mean " + fixed(first.mean, 4) + ", deviation " + fixed(first.deviation, 4);
    if (first.law == match::Law::Student) {
        text += ", " + fixed(first.freedom, 0) + " degrees of freedom";
    }
    text +=
        ", " + fixed(first.count, 0) + " scores" + (law.maps.size() > 1 ? " of the first map" : "");
    const auto [least, most] = first.deviations();
    if (least < most) {
        text += "; deviations of " + fixed(least, 4) + " to " + fixed(most, 4) + " in " +
                std::to_string(first.tiles) + (first.tiles > 1 ? " tiles" : " tile") +
                (first.kinds > 1 ? " and of " + std::to_string(first.kinds) + " templates" : "");
    }
    return text;
}

std::string thresholdText(const ThresholdReport& threshold) {
    std::string text = fixed(threshold.value, 4);
    if (!threshold.law.rare.empty()) {
        const auto [least, most] = std::ranges::minmax(threshold.values);
        text = fixed(least, 4) + " to " + fixed(most, 4) + " by the extents of the template";
    }
    if (threshold.chosenBy == "zscore" && threshold.asked) {
        text += " at " + detail::shortest(*threshold.asked) + " standard deviations";
    }
    if (!threshold.falsePositives) {
        return text + "; the scores have no law";
    }
    const match::SearchLaw& law = threshold.law;
    const bool lawCounts =
        law.hasNull() && law.byMaps(threshold.value) > law.byNull(threshold.value);
    return text + "; expected false positives of noise " + countText(*threshold.falsePositives) +
           " (" + (lawCounts ? "by the law of the scores, which expects more than were " : "") +
           lawText(law) + ")";
}

} // namespace flcc::job

namespace flcc::job::detail::json {

namespace {

Json partsJson(const match::ScoreLaw& law) {
    Json parts = Json::array();
    for (const match::LawPart& part : law.parts) {
        parts.push_back({{"placements", part.count},
                         {"deviation", part.deviation},
                         {"freedom", part.freedom},
                         {"limit", part.limit},
                         {"light", part.light},
                         {"members", part.members},
                         {"independent", part.independent},
                         {"level", part.level},
                         {"volume", part.volume}});
    }
    return parts;
}

Json checkJson(const match::SearchLaw& law) {
    if (law.null == match::NullTemplate::None) {
        return nullptr;
    }
    return {{"likeness", law.check.likeness},
            {"peaks", law.check.peaks},
            {"matched", law.check.matched},
            {"ratio", law.check.ratio},
            {"withdrawn", law.check.withdrawn}};
}

Json gapJson(const std::optional<match::ScoreGap>& gap) {
    return gap ? Json{{"peaks_above", gap->above}, {"upper", gap->upper}, {"lower", gap->lower}}
               : Json(nullptr);
}

Json othersJson(const std::optional<match::OtherThings>& others) {
    return others ? Json{{"places", others->places},
                         {"left_out", others->others},
                         {"contrast_of_others", others->contrast.other},
                         {"spread_of_others", others->contrast.spread},
                         {"contrast_of_template", others->contrast.own},
                         {"deviation_of_template", others->contrast.ownDeviation}}
                  : Json(nullptr);
}

} // namespace

Json toJson(const ThresholdReport& threshold) {
    Json laws = Json::array();
    for (std::size_t map = 0; map < threshold.law.maps.size(); ++map) {
        const match::ScoreLaw& law = threshold.law.maps[map];
        const bool known = map < threshold.values.size();
        laws.push_back({{"threshold", known ? threshold.values[map] : threshold.value},
                        {"mean", law.mean},
                        {"deviation", law.deviation},
                        {"freedom", law.freedom},
                        {"scores", law.count},
                        {"roughness", law.roughness},
                        {"tiles", law.tiles},
                        {"tile", {law.tile.x, law.tile.y, law.tile.z}},
                        {"templates", law.kinds},
                        {"deviations", {law.deviations().first, law.deviations().second}},
                        {"parts", partsJson(law)},
                        {"skewness", law.skewness},
                        {"counts", law.axes < law.dimensions ? "scores" : "groups"},
                        {"law", law.exists() ? Json(match::name(law.law)) : Json(nullptr)}});
    }
    return {{"value", threshold.value},
            {"chosen_by", threshold.chosenBy},
            {"asked", orNull(threshold.asked)},
            {"law", threshold.law.exists() ? Json(threshold.law.name()) : Json(nullptr)},
            {"parameters", laws},
            {"null", match::name(threshold.law.null)},
            {"null_check", checkJson(threshold.law)},
            {"null_scores", threshold.law.nullScores},
            {"warnings", threshold.warnings},
            {"gap", gapJson(threshold.gap)},
            {"others", othersJson(threshold.others)},
            {"expected_false_positives", orNull(threshold.falsePositives)}};
}

} // namespace flcc::job::detail::json
