#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "engine/cuda/device_memory.h"
#include "engine/cuda/tiling.h"
#include "engine/method/canonical.h"
#include "engine/method/problem.h"

namespace flcc::cuda {

/// True when the tiles of `problem` are no plain boxes inside the scene, or their sums are to be
/// taken by transforms: then all of it is in double, by correlations (METHODS 2.0, 2.1).
[[nodiscard]] inline bool isGeneral(const method::Problem& problem) {
    return problem.mask || problem.sceneMask || problem.extent != method::Extent::Valid ||
           problem.statistics == method::WindowStatistics::Fourier;
}
/// True when panels may leave the scene or its mask.
[[nodiscard]] inline bool mayBePartial(const method::Problem& problem) {
    return problem.sceneMask || problem.extent != method::Extent::Valid;
}
[[nodiscard]] inline bool mayOverlap(const method::Problem& problem) {
    return mayBePartial(problem) && problem.outside == method::Outside::Overlap;
}

/// Equal numbers for equal voxels of a template's support.
[[nodiscard]] std::vector<std::int32_t> levelsOf(const method::MaskedView& templ);

/// A template as such tiles need it.
struct SupportTempl {
    const method::CanonicalTemplate& canonical;
    const std::vector<std::int32_t>& levels; ///< where placements may overlap the scene in part
    std::int64_t number;                     ///< its own in the process
};

/// Elements of each buffer of such a run.
struct SupportRoom {
    std::int64_t tile = 0;    ///< doubles of a tile, and of a spectrum
    std::int64_t batch = 0;   ///< tiles at once
    std::int64_t loaded = 1;  ///< spectra of a tile that are kept for all templates
    std::int64_t each = 0;    ///< spectra of a template
    std::int64_t spectra = 0; ///< of all templates
    std::int64_t sums = 0;    ///< that are taken
    std::int64_t shares = 0;
    std::int64_t weights = 0;   ///< voxels of a template
    std::int64_t templ = 0;     ///< of all templates
    std::int64_t levels = 0;    ///< of them that have one
    std::int64_t workBytes = 0; ///< as TilingRoom::workBytes

    [[nodiscard]] std::int64_t bytes() const;
};
[[nodiscard]] SupportRoom supportRoomOf(const method::Problem& problem, const Tiling& tiling);
/// Sums that a panel of them needs.
[[nodiscard]] std::int64_t supportSums(const method::Problem& problem);
/// Why window sums of boxes cannot be used where they are asked for; empty when they can.
[[nodiscard]] std::string boxRefusal(const method::Problem& problem);
/// Transforms of such tiles, forward and back, and those of them that templates do not share.
[[nodiscard]] int supportTransforms(const method::Problem& problem);
[[nodiscard]] int ownTransforms(const method::Problem& problem);

/// Tiles of the general way on a device: buffers, plans and the spectra of templates, made when
/// they are first needed. Templates share what belongs to the scene, its spectra, and those with
/// one support, which are to be started one after the other (bySupport()), what belongs to that:
/// S1, S2, N and what is not finite. Its stream must live as long.
class SupportTiles {
  public:
    SupportTiles(Engine& engine, std::int32_t device);

    /// Makes all that does not depend on the scene; the spectra of templates stay for their further
    /// scenes. `stored` is added to all bounds.
    void prepare(const Stream& stream, const method::Problem& problem, const Tiling& tiling,
                 const std::vector<SupportTempl>& templates, double stored);

    /// Starts all kernels of a part for a template; those of the first one leave to the others what
    /// they share.
    void start(const Stream& stream, const PartLaunch& of, std::size_t templ);

  private:
    struct Constants {
        double count = 0;
        double bound = 0;
        bool takesSums = true; ///< it is the first one with its support
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
    DeviceBuffer<std::byte> m_work; ///< of all transforms, one after the other
    std::optional<Transform> m_forward;
    std::optional<Transform> m_inverse;
    std::tuple<base::Extents, std::int64_t> m_planned;
    /// SupportTempl::number of the spectra, and their points.
    std::tuple<std::vector<std::int64_t>, base::Extents> m_transformed;
    SupportRoom m_room;
    double* m_firstSpectrum = nullptr;
    std::uint8_t* m_firstSupport = nullptr;
    std::int32_t* m_firstLevels = nullptr;
    double* m_loaded = nullptr; ///< spectra of tiles, input by input, as many as are kept
    void* m_workArea = nullptr;
    std::vector<Constants> m_constants; ///< of each template
    std::size_t m_templ = 0;            ///< that is at hand
    SupportLaunch m_launch;
};

} // namespace flcc::cuda
