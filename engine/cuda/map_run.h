#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/cuda/block_launch.h"
#include "engine/cuda/device_memory.h"
#include "engine/cuda/tally.h"
#include "engine/method/canonical.h"
#include "engine/method/method.h"

namespace flcc::cuda {

inline constexpr double kUnitSingle = 0x1p-24;
inline constexpr double kUnitDouble = 0x1p-53;

[[nodiscard]] inline bool isTwofold(const method::Problem& problem) {
    return problem.precision == method::Precision::Double;
}
/// What a score in double loses where the map keeps floats alone; of one in float it is part of the
/// bound.
[[nodiscard]] inline double storedError(const method::MapView& map) {
    return map.exact.data() == nullptr ? kUnitSingle : 0.0;
}

/// What every method needs on the device for a part of a map; made when it is first needed.
struct PartBuffers {
    PartBuffers(Engine& engine, std::int32_t device)
        : scene(engine, device), value(engine, device), exact(engine, device),
          status(engine, device), tallies(engine, device) {}

    DeviceBuffer<std::byte> scene;
    DeviceBuffer<float> value;
    DeviceBuffer<double> exact; ///< of a run in double
    DeviceBuffer<std::uint8_t> status;
    DeviceBuffer<BlockTally> tallies;
    std::vector<BlockTally> told;
};

/// Bytes of them for a part of extents `part`.
[[nodiscard]] std::int64_t partBytes(const method::Problem& problem, const base::Extents& part);

/// What the host keeps beside the map of a run in such parts: the map of one template of a bank,
/// the templates, what blocks tell.
[[nodiscard]] std::int64_t hostBytes(const method::Problem& problem, const base::Extents& part);

/// What no method of a device solves, in a sentence; empty when there is nothing to refuse.
[[nodiscard]] std::string refusalOf(const method::Problem& problem, const std::string& against);
/// Refuses what needs more memory than there is; empty when it fits.
[[nodiscard]] std::string refusalOf(const method::Prediction& prediction,
                                    const method::Limits& limits, std::int64_t deviceBytes);

/// **Errors**: Problem for a mask, which no problem names that a device solves.
void requireUnmasked(const method::MaskedView& scene);
void requireUnmasked(const method::CanonicalTemplate& templ);

/// A run on a device, a part of the map after the other: upload, kernels, download, and then
/// canonical values of the host's pixels for what breaks the promise.
class MapRun {
  public:
    MapRun(const method::Problem& problem, const method::CanonicalTemplate& templ,
           const base::AnyView& scene, PartBuffers& own, const Stream& stream,
           const method::Execution& execution, const method::MapView& map)
        : m_problem(problem), m_templ(templ), m_scene(scene), m_own(own), m_stream(stream),
          m_execution(execution), m_map(map) {}

    /// `start(launch)` starts the kernels of a part, `what` says what they are. Before any part
    /// `prepare` is called: uploads and kernels that belong to the template. Errors leave nothing
    /// under way.
    [[nodiscard]] method::Outcome operator()(const base::Extents& part, const std::string& what,
                                             const std::function<void()>& prepare,
                                             const std::function<void(const PartLaunch&)>& start);

  private:
    /// False when stopped; then the part is as before.
    bool matchPart(const base::Box& box, const std::string& what,
                   const std::function<void(const PartLaunch&)>& start);
    template <class T> const void* upload(const base::View<const T>& view);
    template <class T> void download(const void* from, const base::View<T>& view) const;
    bool finish(const base::Box& box, const method::MapView& part);
    void repair(const base::Box& box, const method::MapView& part, const base::Index& corner) const;

    const method::Problem& m_problem;
    const method::CanonicalTemplate& m_templ;
    const base::AnyView& m_scene;
    PartBuffers& m_own;
    const Stream& m_stream;
    const method::Execution& m_execution;
    const method::MapView& m_map;
    Tally m_tally;
    double m_uploadMs = 0;
    double m_kernelMs = 0;
    double m_downloadMs = 0;
    double m_repairMs = 0;
};

} // namespace flcc::cuda
