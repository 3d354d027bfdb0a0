#include "engine/job/input/mask_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <type_traits>
#include <utility>

#include "engine/base/error.h"

namespace flcc::job::detail {

using base::Error;
using base::ErrorCode;

namespace {

constexpr std::size_t kMostCounted = 1000; // values; beyond, "more than"

/// A number of six digits for a sentence.
std::string shortNumber(double value) {
    std::array<char, 32> text{};
    const auto [end, error] =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 6);
    return {text.data(), end};
}

/// What the values of a mask are.
template <class Voxel> struct Survey {
    double low = 0;
    double high = 0;
    bool whole = true;      ///< no value has a fraction
    bool rounded = true;    ///< all lie within kMaskRounding of 0 or 1
    std::set<Voxel> values; ///< beside 0; at most kMostCounted + 1
    Voxel last{};           ///< looked up before

    void add(Voxel value) {
        const auto v = static_cast<double>(value);
        low = std::min(low, v);
        high = std::max(high, v);
        if constexpr (std::is_floating_point_v<Voxel>) {
            whole = whole && std::trunc(value) == value;
            rounded = rounded && std::min(std::abs(v), std::abs(v - 1)) <= kMaskRounding;
        }
        if (value != last && value != Voxel{} && values.size() <= kMostCounted) {
            values.insert(value);
        }
        last = value;
    }
};

template <class Voxel, class Use> void eachVoxel(const base::View<const Voxel>& view, Use&& use) {
    const base::Extents& n = view.extents();
    for (std::int64_t line = 0; line < n.y * n.z; ++line) {
        const Voxel* const row = view.row(line % n.y, line / n.y);
        for (std::int64_t x = 0; x < n.x; ++x) {
            use(row[x], base::Index{x, line % n.y, line / n.y});
        }
    }
}

template <class Voxel>
Survey<Voxel> surveyOf(const base::View<const Voxel>& view, const std::string& source) {
    Survey<Voxel> survey;
    eachVoxel(view, [&](Voxel value, const base::Index& at) {
        if constexpr (std::is_floating_point_v<Voxel>) {
            if (!std::isfinite(value)) {
                throw Error(ErrorCode::Problem,
                            "the mask " + source + " is " +
                                (std::isnan(value) ? "NaN" : "infinite") + " at voxel " +
                                base::toString(at) +
                                "; a mask is 0 outside and anything else inside");
            }
        }
        survey.add(value);
    });
    return survey;
}

void requireInside(bool any, const std::string& source) {
    if (!any) {
        throw Error(ErrorCode::Problem,
                    "the mask " + source +
                        " has no voxel inside; a mask is 0 outside and anything else inside");
    }
}

/// Inside is where `isIn(value)`.
template <class Voxel, class IsIn>
MaskValues yesOrNo(const base::View<const Voxel>& view, IsIn&& isIn) {
    MaskValues mask;
    mask.support = base::Image<std::uint8_t>(view.extents(), std::uint8_t{0});
    eachVoxel(view, [&](Voxel value, const base::Index& at) {
        mask.support.view().at(at) = isIn(value) ? 1 : 0;
    });
    mask.counts = "yes or no";
    return mask;
}

/// The weights value / `most`, clipped.
template <class Voxel> MaskValues byWeights(const base::View<const Voxel>& view, double most) {
    MaskValues mask;
    mask.support = base::Image<std::uint8_t>(view.extents(), std::uint8_t{0});
    mask.weights = base::Image<double>(view.extents(), 0.0);
    double least = 1;
    double largest = 0;
    eachVoxel(view, [&](Voxel value, const base::Index& at) {
        const double weight = std::clamp(static_cast<double>(value) / most, 0.0, 1.0);
        if (weight >= static_cast<double>(std::numeric_limits<float>::min())) {
            mask.support.view().at(at) = 1;
            mask.weights.view().at(at) = weight;
            least = std::min(least, weight);
            largest = std::max(largest, weight);
        }
    });
    mask.counts = "by weights of " + shortNumber(least) + " to " + shortNumber(largest);
    return mask;
}

template <class Voxel>
MaskValues wholeNumbers(const base::View<const Voxel>& view, const Survey<Voxel>& survey,
                        const std::string& source) {
    const bool many = survey.values.size() > kMostCounted;
    const std::string values =
        (many ? "more than " : "") + std::to_string(many ? kMostCounted : survey.values.size()) +
        " values beside 0, from " + shortNumber(static_cast<double>(*survey.values.begin())) +
        " to " + shortNumber(survey.high);
    if (survey.low >= 0 && (survey.high == 255 || survey.high == 65535) &&
        survey.values.size() > kMostLabels) {
        MaskValues mask = byWeights(view, survey.high);
        mask.note = "the whole numbers of the mask " + source + " (" + values +
                    ") count as weights, divided by " + shortNumber(survey.high);
        return mask;
    }
    MaskValues mask = yesOrNo(view, [](Voxel value) { return value != Voxel{}; });
    mask.note = "the whole numbers of the mask " + source + " (" + values +
                ") count as yes or no; for weights store them as floats between 0 and 1";
    return mask;
}

template <class Voxel>
MaskValues fractions(const base::View<const Voxel>& view, const Survey<Voxel>& survey,
                     const std::string& source) {
    const std::string range = "from " + shortNumber(survey.low) + " to " + shortNumber(survey.high);
    if (survey.low < -kMaskRinging || survey.high > 1 + kMaskRinging) {
        throw Error(ErrorCode::Problem,
                    "the mask " + source + " has values " + range +
                        ", which are neither weights between 0 and 1 nor 0 and one other value; "
                        "divide it by its largest value for weights, or set it to 0 and 1");
    }
    if (survey.rounded && survey.high > 0.5) {
        return yesOrNo(view, [](Voxel value) { return value > Voxel{0.5}; });
    }
    MaskValues mask = byWeights(view, 1);
    if (survey.low < -kMaskRounding || survey.high > 1 + kMaskRounding) {
        mask.warning = "the mask " + source + " has values " + range +
                       "; they were clipped to weights between 0 and 1";
    }
    return mask;
}

} // namespace

MaskValues maskValues(const base::AnyView& pixels, const std::string& source) {
    MaskValues mask = std::visit(
        [&]<class Voxel>(const base::View<const Voxel>& view) {
            const Survey<Voxel> survey = surveyOf(view, source);
            requireInside(!survey.values.empty(), source);
            if (survey.values.size() == 1) {
                return yesOrNo(view, [](Voxel value) { return value != Voxel{}; });
            }
            if constexpr (std::is_floating_point_v<Voxel>) {
                if (!survey.whole) {
                    return fractions(view, survey, source);
                }
            }
            return wholeNumbers(view, survey, source);
        },
        pixels);
    const std::uint8_t* const first = mask.support.data();
    requireInside(std::find(first, first + mask.support.count(), std::uint8_t{1}) !=
                      first + mask.support.count(),
                  source);
    return mask;
}

} // namespace flcc::job::detail
