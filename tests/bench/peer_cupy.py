"""Peers of flcc-cli bench on a GPU by CuPy: scikit-image's match_template, its algorithm line by line;
and the numerator alone as one cuFFT product of the whole scene, which no method by transforms beats."""

import importlib.util
import sys
import time

if importlib.util.find_spec("cupy") is None:
    print("cupy is not installed: this peer is left out")
    sys.exit(0)

import cupy
import numpy
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


def product(image, template):
    """The numerator, of a template of mean 0: two transforms forward, one back."""
    shape = [gpu_peer.smooth(n) for n in image.shape]
    spectrum = cupy.fft.rfftn(image, shape)
    spectrum *= cupy.conj(cupy.fft.rfftn(template, shape))
    inner = tuple(slice(0, n - m + 1) for n, m in zip(image.shape, template.shape))
    return cupy.fft.irfftn(spectrum, shape)[inner]


def lcc_error(found, scene, template):
    return max(
        abs(float(found[corner]) - gpu_peer.lcc(panel, template))
        for corner, panel in gpu_peer.panels(scene, template.shape)
    )


def product_error(found, scene, template):
    """Relative to the norms of panel and template."""
    return max(
        abs(float(found[corner]) - (panel * template).sum()) / numpy.sqrt((panel**2).sum() * (template**2).sum())
        for corner, panel in gpu_peer.panels(scene, template.shape)
    )


def timed(search, error_of, centred):
    def times_of(scene, template):
        template = template - template.mean() if centred else template
        on_device = cupy.asarray(scene), cupy.asarray(template)
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()

        def kernel():
            begin.record()
            search(*on_device)
            end.record()
            end.synchronize()
            return cupy.cuda.get_elapsed_time(begin, end)

        def end_to_end():
            start = time.perf_counter()
            cupy.asnumpy(search(cupy.asarray(scene), cupy.asarray(template)))
            return 1000 * (time.perf_counter() - start)

        kernels = gpu_peer.series(kernel)
        error = error_of(cupy.asnumpy(search(*on_device)), scene, template)
        del on_device
        all_of_it = gpu_peer.series(end_to_end)
        cupy.get_default_memory_pool().free_all_blocks()
        return kernels, all_of_it, float(error)

    return times_of


if __name__ == "__main__":
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as problem:
        sys.exit(f"cupy finds no GPU: {problem}")
    about = cupy.cuda.runtime.getDeviceProperties(0) if count else sys.exit("cupy finds no GPU")
    gpu_peer.run(
        about["name"].decode(),
        f"CuPy {cupy.__version__}; CUDA {cupy.cuda.runtime.runtimeGetVersion()}, "
        f"driver for {cupy.cuda.runtime.driverGetVersion()}",
        [
            ("scikit-image's algorithm, CuPy", timed(match_template, lcc_error, False), None),
            ("cuFFT product", timed(product, product_error, True), None),
        ],
        (cupy.cuda.memory.OutOfMemoryError, cupy.cuda.cufft.CuFFTError),
    )
