#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "engine/cuda/plugin/device_memory.h"
#include "engine/cuda/run/tiling.h"
#include "engine/method/canonical.h"
#include "engine/method/problem.h"

namespace flcc::cuda {

/// True if panels of `problem` are not full boxes inside the scene, or if sums by transforms are
/// asked for (`--statistics fourier`). All sums are then correlations in double
/// (engine/method/NUMERICS.md, section 5, last part).
[[nodiscard]] inline bool isGeneral(const method::Problem& problem) {
    return problem.mask || problem.sceneMask || problem.extent != method::Extent::Valid ||
           problem.statistics == method::WindowStatistics::Fourier;
}
/// True if panels may leave the scene or its mask.
[[nodiscard]] inline bool mayBePartial(const method::Problem& problem) {
    return problem.sceneMask || problem.extent != method::Extent::Valid;
}
/// True if such panels are scored by their overlap alone (Outside::Overlap).
[[nodiscard]] inline bool mayOverlap(const method::Problem& problem) {
    return mayBePartial(problem) && problem.outside == method::Outside::Overlap;
}

/// A number for each voxel of a template: equal numbers for equal voxels of its support, -1 outside
/// the support.
[[nodiscard]] std::vector<std::int32_t> levelsOf(const method::MaskedView& templ);

/// A template for SupportTiles.
struct SupportTempl {
    const method::CanonicalTemplate& canonical;
    const std::vector<std::int32_t>& levels; ///< levelsOf() if mayOverlap(), else empty
    std::int64_t number;                     ///< identifies it in this process
};

/// Number of elements of each buffer of SupportTiles.
struct SupportRoom {
    std::int64_t tile = 0;    ///< doubles of a tile or of a spectrum
    std::int64_t batch = 0;   ///< tiles that are computed at once
    std::int64_t loaded = 1;  ///< spectra of each tile that are in memory at once
    std::int64_t each = 0;    ///< spectra of each template
    std::int64_t spectra = 0; ///< spectra of all templates
    std::int64_t sums = 0;    ///< sums of each tile
    std::int64_t shares = 0;
    std::int64_t weights = 0;   ///< voxels of a template
    std::int64_t templ = 0;     ///< voxels of all templates
    std::int64_t levels = 0;    ///< voxels of all templates, or 0 if no levels are needed
    std::int64_t workBytes = 0; ///< as TilingRoom::workBytes

    [[nodiscard]] std::int64_t bytes() const;
};
[[nodiscard]] SupportRoom supportRoomOf(const method::Problem& problem, const Tiling& tiling);
/// Number of sums that a panel needs.
[[nodiscard]] std::int64_t supportSums(const method::Problem& problem);
/// Why `--statistics box` cannot be used; empty if it can, or is not asked for.
[[nodiscard]] std::string boxRefusal(const method::Problem& problem);
/// Number of transforms of a tile, forward and back.
[[nodiscard]] int supportTransforms(const method::Problem& problem);
/// Number of these transforms that templates do not share.
[[nodiscard]] int ownTransforms(const method::Problem& problem);

/// Computes the tiles of problems that are general (isGeneral()): buffers, plans and the spectra of
/// the templates, which are made when they are first needed. All templates share the spectra of the
/// scene. Templates with the same support share the sums s1, s2, n and the number of NaN and Inf,
/// and must therefore be started one after the other (bySupport()). The stream must outlive this
/// object.
class SupportTiles {
  public:
    SupportTiles(Engine& engine, std::int32_t device);

    /// Makes everything that does not depend on the scene. The spectra of the templates are kept
    /// for later scenes. `stored`: storedError() of the run, added to all bounds.
    void prepare(const Stream& stream, const method::Problem& problem, const Tiling& tiling,
                 const std::vector<SupportTempl>& templates, double stored);

    /// Starts all kernels of a part for a template. The kernels of template 0, which comes first,
    /// leave the results that the others share.
    void start(const Stream& stream, const PartLaunch& of, std::size_t templ);

  private:
    struct Constants {
        double count = 0;
        double bound = 0;
        bool takesSums = true; ///< it is the first template with its support
        double norms[kSupportWeights] = {};
    };

    void makeSpectra(const Stream& stream, const std::vector<SupportTempl>& templates);
    void choose(std::size_t templ);
    void load(const Stream& stream, SupportInput input);
    void correlate(const Stream& stream, SupportWeights weights, SupportSum sum);

    DeviceBuffer<double> m_data;
    DeviceBuffer<double> m_spectra;
    DeviceBuffer<double> m_sums;
    DeviceBuffer<double> m_weights;
    DeviceBuffer<std::uint8_t> m_support;
    DeviceBuffer<std::int32_t> m_levels;
    DeviceBuffer<TileFacts> m_facts;
    DeviceBuffer<TileShare> m_tileShares;
    DeviceBuffer<std::byte> m_work; ///< the work area of all transforms
    std::optional<Transform> m_forward;
    std::optional<Transform> m_inverse;
    std::tuple<base::Extents, std::int64_t> m_planned;
    /// The templates (SupportTempl::number) and the points of the spectra in memory.
    std::tuple<std::vector<std::int64_t>, base::Extents> m_transformed;
    SupportRoom m_room;
    double* m_firstSpectrum = nullptr;
    std::uint8_t* m_firstSupport = nullptr;
    std::int32_t* m_firstLevels = nullptr;
    double* m_loaded = nullptr; ///< spectra of the tiles, input by input
    void* m_workArea = nullptr;
    std::vector<Constants> m_constants; ///< one for each template
    std::size_t m_templ = 0;            ///< the template that choose() set
    SupportLaunch m_launch;
};

} // namespace flcc::cuda
