#include "ui/match/fields/sections.h"

#include <array>

namespace flcc::ui {

const std::vector<std::string_view>& optionsOf(Section section) {
    static const std::array<std::vector<std::string_view>, 9> kOptions{{
        {"operation", "invert"},
        {"min-score", "max-score", "max-peaks", "min-distance"},
        {"rotations", "symmetry", "scales", "mirror", "refine", "handedness", "search-statistics",
         "yes", "search"},
        {"band", "whiten", "wedge", "ctf", "polarity"},
        {"false-positives", "zscore", "null", "list-others", "max-overlap"},
        {"extent", "outside", "min-overlap", "partial-peaks"},
        {"device", "threads", "memory"},
        {"planning", "method", "tile", "transforms", "plan"},
        {"precision", "promise", "recompute", "audit", "statistics"},
    }};
    return kOptions[static_cast<std::size_t>(section)];
}

const std::vector<Section>& sections() {
    static const std::vector<Section> kAll{
        Section::Operation, Section::Peaks,  Section::Poses,       Section::Noise,    Section::Law,
        Section::Edges,     Section::Method, Section::Computation, Section::Exactness};
    return kAll;
}

} // namespace flcc::ui
