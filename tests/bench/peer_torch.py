"""Peers of flcc-cli bench on a GPU by torch: the numerator alone by its convolution, which correlates; and
match_template by its transforms, with window sums in double."""

import importlib.util
import sys
import time

if importlib.util.find_spec("torch") is None:
    print("torch is not installed: this peer is left out")
    sys.exit(0)

import numpy
import torch

import gpu_peer


def unit(template):
    """Mean 0, norm 1."""
    values = template.astype(numpy.float64) - template.mean(dtype=numpy.float64)
    return (values / numpy.sqrt((values**2).sum())).astype(numpy.float32)


def correlate(scene, template):
    convolve = torch.nn.functional.conv2d if scene.ndim == 2 else torch.nn.functional.conv3d
    return convolve(scene[None, None], template[None, None])[0, 0]


def window_sum(image, shape):
    for axis, length in enumerate(shape):
        sums = torch.nn.functional.pad(image.cumsum(axis), [0, 0] * (image.ndim - 1 - axis) + [1, 0])
        image = sums.narrow(axis, length, sums.shape[axis] - length) - sums.narrow(
            axis, 0, sums.shape[axis] - length
        )
    return image


def match_template(scene, weights):
    """LCC of weights with mean 0 and norm 1."""
    shape = [gpu_peer.smooth(n) for n in scene.shape]
    spectrum = torch.fft.rfftn(scene, shape) * torch.fft.rfftn(weights, shape).conj()
    numerator = torch.fft.irfftn(spectrum, shape)
    for axis, (n, m) in enumerate(zip(scene.shape, weights.shape)):
        numerator = numerator.narrow(axis, 0, n - m + 1)
    double = scene.double()
    sums = window_sum(double, weights.shape)
    squares = window_sum(double * double, weights.shape)
    variance = squares - sums * sums / weights.numel()
    return (numerator / variance.clamp_min(1e-12).sqrt()).float()


def numerator_error(found, scene, weights):
    return max(
        abs(float(found[corner]) - (panel * weights).sum()) / numpy.sqrt((panel**2).sum())
        for corner, panel in gpu_peer.panels(scene, weights.shape)
    )


def lcc_error(found, scene, weights):
    return max(
        abs(float(found[corner]) - gpu_peer.lcc(panel, weights))
        for corner, panel in gpu_peer.panels(scene, weights.shape)
    )


def timed(search, error_of):
    @torch.no_grad()
    def times_of(scene, template):
        weights = unit(template)
        device = torch.device("cuda:0")
        on_device = torch.from_numpy(scene).to(device), torch.from_numpy(weights).to(device)
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)

        def kernel():
            begin.record()
            search(*on_device)
            end.record()
            end.synchronize()
            return begin.elapsed_time(end)

        def end_to_end():
            start = time.perf_counter()
            search(torch.from_numpy(scene).to(device), torch.from_numpy(weights).to(device)).cpu()
            return 1000 * (time.perf_counter() - start)

        kernels = gpu_peer.series(kernel)
        error = error_of(search(*on_device).cpu().numpy(), scene, weights)
        del on_device
        all_of_it = gpu_peer.series(end_to_end)
        torch.cuda.empty_cache()
        return kernels, all_of_it, float(error)

    return times_of


if __name__ == "__main__":
    if not torch.cuda.is_available():
        sys.exit("torch finds no GPU")
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = False  # products in float32, as ours
    gpu_peer.run(
        torch.cuda.get_device_name(0),
        f"torch {torch.__version__}; CUDA {torch.version.cuda}; cuDNN {torch.backends.cudnn.version()}",
        [
            # 32^3 in 513^3 has nearly four times as many multiply-adds, and takes minutes.
            ("numerator, torch convolution", timed(correlate, numerator_error), 1e12),
            ("match_template, torch", timed(match_template, lcc_error), None),
        ],
        (torch.cuda.OutOfMemoryError, RuntimeError),
    )
