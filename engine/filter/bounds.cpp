#include <cmath>

#include "engine/filter/detail/filter_method.h"

namespace flcc::filter::detail {

bool isExactly(base::PixelType type, method::Precision precision) {
    using enum base::PixelType;
    switch (type) {
    case UInt8:
    case Int8:
    case UInt16:
    case Int16:
    case Float32:
        return true;
    case UInt32:
    case Int32:
    case Float64:
        return precision == method::Precision::Double;
    case UInt64:
    case Int64:
        return false;
    }
    return false;
}

double roundingBound(const Problem& problem, const Kernel& kernel) {
    // One rounding of a weight, one of a voxel, one of the result.
    const double unit = unitOf(problem.precision);
    return (isExactly(problem.scenePixel, problem.precision) ? 2 : 3) * unit *
           kernel.sumOfMagnitudes() / kernel.divisor();
}

bool sumsAreExact(const Problem& problem, const Kernel& kernel, double largest) {
    const double most = 1 / unitOf(problem.precision);
    return base::isInteger(problem.scenePixel) && kernel.hasIntegerWeights() && largest < 0x1p53 &&
           largest * kernel.sumOfMagnitudes() < most;
}

double divisionBound(const Problem& problem, const Kernel& kernel, double largest) {
    return kernel.divisor() == 1
               ? 0
               : unitOf(problem.precision) * largest * kernel.sumOfMagnitudes() / kernel.divisor();
}

std::int64_t resultBytes(const Problem& problem) {
    return base::byteCount(resultExtents(problem), bytesOf(problem.precision));
}

double resultVoxels(const Problem& problem) {
    return static_cast<double>(base::voxelCount(resultExtents(problem)));
}

} // namespace flcc::filter::detail
