#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace flcc::ui {

/// Settings of the Match panel that belong together, in its order.
enum class Section : std::uint8_t {
    Operation, ///< also the sign of the template
    Peaks,     ///< threshold, number and distance
    Poses,
    Noise,
    Law, ///< what the threshold is counted by
    Edges,
    Computation, ///< device, threads, memory
    Method,
    Exactness
};

/// The options of a section, in the order of its fields. Images, masks and outputs are no settings.
[[nodiscard]] const std::vector<std::string_view>& optionsOf(Section section);
[[nodiscard]] const std::vector<Section>& sections();

} // namespace flcc::ui
