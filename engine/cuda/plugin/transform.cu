#include "engine/cuda/plugin/transform.h"

#include <cuda_runtime_api.h>
#include <cufft.h>

#include <cstddef>
#include <memory>

#include "engine/cuda/plugin/sticky_errors.h"

namespace flcc::cuda {

namespace {

/// The error of a cuFFT call as a Result. An error of the CUDA runtime says more than cuFFT's own,
/// so it is preferred, and cleared from the thread. cuFFT contains its own copy of the runtime, so
/// only asking the device shows that the device is lost.
Result resultOf(cufftResult result) {
    if (result == CUFFT_SUCCESS) {
        return 0;
    }
    const cudaError_t ofThread = cudaGetLastError();
    const cudaError_t ofDevice = cudaDeviceSynchronize();
    (void)cudaGetLastError();
    return tellingError(static_cast<Result>(ofDevice), static_cast<Result>(ofThread),
                        result == CUFFT_ALLOC_FAILED
                            ? kOutOfMemory
                            : kTransformError + static_cast<Result>(result));
}

struct Plan {
    cufftHandle handle = 0;
    TransformKind kind = TransformKind::Forward;
};

/// A shape in the form that cuFFT takes: slowest axis first. Axes of one point are left out; they
/// do not change where values lie in memory.
struct Layout {
    int rank = 0;
    long long lengths[3] = {};
    long long real[3] = {};
    long long complex[3] = {};
    long long realTile = 1;
    long long complexTile = 1;

    explicit Layout(const base::Extents& points) {
        const long long row = rowValues(points);
        const auto add = [this](long long length, long long reals, long long complexes) {
            lengths[rank] = length;
            real[rank] = reals;
            complex[rank] = complexes;
            ++rank;
            realTile *= reals;
            complexTile *= complexes;
        };
        if (points.z > 1) {
            add(points.z, points.z, points.z);
        }
        if (points.y > 1) {
            add(points.y, points.y, points.y);
        }
        add(points.x, row, row / 2);
    }
};

} // namespace

Result makeTransform(const TransformShape& shape, void** made, std::int64_t* workBytes) {
    auto plan = std::make_unique<Plan>();
    plan->kind = shape.kind;
    if (const cufftResult error = cufftCreate(&plan->handle); error != CUFFT_SUCCESS) {
        return resultOf(error);
    }
    Layout layout(shape.points);
    std::size_t bytes = 0;
    cufftResult error = cufftSetAutoAllocation(plan->handle, 0);
    if (error == CUFFT_SUCCESS) {
        const bool inverse = !isForward(shape.kind);
        const cufftType type = isDouble(shape.kind) ? (inverse ? CUFFT_Z2D : CUFFT_D2Z)
                                                    : (inverse ? CUFFT_C2R : CUFFT_R2C);
        error = cufftMakePlanMany64(
            plan->handle, layout.rank, layout.lengths, inverse ? layout.complex : layout.real, 1,
            inverse ? layout.complexTile : layout.realTile, inverse ? layout.real : layout.complex,
            1, inverse ? layout.realTile : layout.complexTile, type, shape.batch, &bytes);
    }
    if (error != CUFFT_SUCCESS) {
        const Result result = resultOf(error);
        (void)cufftDestroy(plan->handle);
        (void)cudaGetLastError();
        return result;
    }
    *made = plan.release();
    *workBytes = static_cast<std::int64_t>(bytes);
    return 0;
}

Result releaseTransform(void* made) {
    const std::unique_ptr<Plan> plan(static_cast<Plan*>(made));
    return resultOf(cufftDestroy(plan->handle));
}

Result runTransform(void* made, void* stream, void* data, void* work) {
    const Plan& plan = *static_cast<const Plan*>(made);
    cufftResult error = cufftSetStream(plan.handle, static_cast<cudaStream_t>(stream));
    if (error == CUFFT_SUCCESS && work != nullptr) {
        error = cufftSetWorkArea(plan.handle, work);
    }
    if (error != CUFFT_SUCCESS) {
        return resultOf(error);
    }
    switch (plan.kind) {
    case TransformKind::Forward:
        return resultOf(cufftExecR2C(plan.handle, static_cast<cufftReal*>(data),
                                     static_cast<cufftComplex*>(data)));
    case TransformKind::Inverse:
        return resultOf(cufftExecC2R(plan.handle, static_cast<cufftComplex*>(data),
                                     static_cast<cufftReal*>(data)));
    case TransformKind::Double:
        return resultOf(cufftExecD2Z(plan.handle, static_cast<cufftDoubleReal*>(data),
                                     static_cast<cufftDoubleComplex*>(data)));
    case TransformKind::DoubleInverse:
        return resultOf(cufftExecZ2D(plan.handle, static_cast<cufftDoubleComplex*>(data),
                                     static_cast<cufftDoubleReal*>(data)));
    }
    return kTransformError + static_cast<Result>(CUFFT_INVALID_TYPE);
}

const char* describeTransformError(Result result) {
    if (result < kTransformError) {
        return nullptr;
    }
    switch (static_cast<cufftResult>(result - kTransformError)) {
    case CUFFT_INVALID_PLAN:
        return "cuFFT: invalid plan";
    case CUFFT_INVALID_TYPE:
        return "cuFFT: invalid type";
    case CUFFT_INVALID_VALUE:
        return "cuFFT: invalid value";
    case CUFFT_INTERNAL_ERROR:
        return "cuFFT: internal error";
    case CUFFT_EXEC_FAILED:
        return "cuFFT: execution failed";
    case CUFFT_SETUP_FAILED:
        return "cuFFT: the library does not start";
    case CUFFT_INVALID_SIZE:
        return "cuFFT: a size that it cannot transform";
    case CUFFT_NOT_SUPPORTED:
        return "cuFFT: not supported";
    default:
        return "cuFFT: unknown error";
    }
}

} // namespace flcc::cuda
