"""scikit-image's match_template, its algorithm line by line on a GPU by CuPy: a peer of flcc-cli bench."""

import importlib.util
import sys
import time

if importlib.util.find_spec("cupy") is None:
    print("cupy is not installed: this peer is left out")
    sys.exit(0)

import cupy
from cupyx.scipy.signal import fftconvolve

import gpu_peer


def window_sum(image, shape):
    for axis, length in enumerate(shape):
        image = cupy.cumsum(image, axis=axis)
        upper = [slice(None)] * image.ndim
        lower = [slice(None)] * image.ndim
        upper[axis] = slice(length, -1)
        lower[axis] = slice(None, -length - 1)
        image = image[tuple(upper)] - image[tuple(lower)]
    return image


def match_template(image, template):
    shape = image.shape
    image = cupy.pad(image, [(m, m) for m in template.shape])
    sums = window_sum(image, template.shape)
    squares = window_sum(image**2, template.shape)
    mean = template.mean()
    ssd = ((template - mean) ** 2).sum()
    flipped = template[(slice(None, None, -1),) * template.ndim]
    inner = (slice(1, -1),) * image.ndim
    numerator = fftconvolve(image, flipped, mode="valid")[inner] - sums * mean
    cupy.multiply(sums, sums, out=sums)
    cupy.divide(sums, template.size, out=sums)
    squares -= sums
    squares *= ssd
    cupy.maximum(squares, 0, out=squares)
    cupy.sqrt(squares, out=squares)
    response = cupy.zeros_like(numerator)
    mask = squares > cupy.finfo(image.dtype).eps
    response[mask] = numerator[mask] / squares[mask]
    return response[tuple(slice(m - 1, n) for n, m in zip(shape, template.shape))]


def times_of(scene, template):
    on_device = cupy.asarray(scene), cupy.asarray(template)
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()

    def kernel():
        begin.record()
        match_template(*on_device)
        end.record()
        end.synchronize()
        return cupy.cuda.get_elapsed_time(begin, end)

    def end_to_end():
        start = time.perf_counter()
        cupy.asnumpy(match_template(cupy.asarray(scene), cupy.asarray(template)))
        return 1000 * (time.perf_counter() - start)

    kernels = gpu_peer.series(kernel)
    found = cupy.asnumpy(match_template(*on_device))
    error = max(
        abs(float(found[corner]) - gpu_peer.lcc(panel, template))
        for corner, panel in gpu_peer.panels(scene, template.shape)
    )
    del on_device, found
    all_of_it = gpu_peer.series(end_to_end)
    cupy.get_default_memory_pool().free_all_blocks()
    return kernels, all_of_it, error


if __name__ == "__main__":
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as problem:
        sys.exit(f"cupy finds no GPU: {problem}")
    about = cupy.cuda.runtime.getDeviceProperties(0) if count else sys.exit("cupy finds no GPU")
    gpu_peer.run(
        "scikit-image's algorithm, CuPy",
        about["name"].decode(),
        f"CuPy {cupy.__version__}; CUDA {cupy.cuda.runtime.runtimeGetVersion()}, "
        f"driver for {cupy.cuda.runtime.driverGetVersion()}",
        times_of,
        (cupy.cuda.memory.OutOfMemoryError, cupy.cuda.cufft.CuFFTError),
    )
