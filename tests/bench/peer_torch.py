"""The numerator alone, by torch's convolution, which correlates, on a GPU: a peer of flcc-cli bench."""

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


@torch.no_grad()
def times_of(scene, template):
    weights = unit(template)
    device = torch.device("cuda:0")
    on_device = torch.from_numpy(scene).to(device), torch.from_numpy(weights).to(device)
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)

    def kernel():
        begin.record()
        correlate(*on_device)
        end.record()
        end.synchronize()
        return begin.elapsed_time(end)

    def end_to_end():
        start = time.perf_counter()
        correlate(torch.from_numpy(scene).to(device), torch.from_numpy(weights).to(device)).cpu()
        return 1000 * (time.perf_counter() - start)

    kernels = gpu_peer.series(kernel)
    found = correlate(*on_device).cpu().numpy()
    error = max(
        abs(float(found[corner]) - (panel * weights).sum()) / numpy.sqrt((panel**2).sum())
        for corner, panel in gpu_peer.panels(scene, template.shape)
    )
    del on_device, found
    all_of_it = gpu_peer.series(end_to_end)
    torch.cuda.empty_cache()
    return kernels, all_of_it, float(error)


if __name__ == "__main__":
    if not torch.cuda.is_available():
        sys.exit("torch finds no GPU")
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = False  # products in float32, as ours
    gpu_peer.run(
        "numerator, torch convolution",
        torch.cuda.get_device_name(0),
        f"torch {torch.__version__}; CUDA {torch.version.cuda}; cuDNN {torch.backends.cudnn.version()}",
        times_of,
        (torch.cuda.OutOfMemoryError, RuntimeError),
        most=1e12,  # 32^3 in 513^3 has nearly four times as many, and takes minutes
    )
