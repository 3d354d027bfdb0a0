"""scikit-image's match_template as a contestant of flcc-bench.

skimage_worker.py FOLDER float32 X Y Z X Y Z: reads FOLDER/scene and FOLDER/template, raw float32 of those extents, and
says "ready" and the version of scikit-image. Each line that comes in asks for one call with so many threads in its
transforms, and is answered with its milliseconds; the first map is left in FOLDER/map.
"""

import sys
import time

import numpy
import skimage
from scipy import fft
from skimage.feature import match_template

folder = sys.argv[1]
extents = [int(text) for text in sys.argv[3:]]
scene = numpy.fromfile(f"{folder}/scene", numpy.float32).reshape(extents[2::-1])
template = numpy.fromfile(f"{folder}/template", numpy.float32).reshape(extents[:2:-1])
print("ready", skimage.__version__, flush=True)

first = True
for line in sys.stdin:
    with fft.set_workers(int(line)):
        begin = time.perf_counter()
        found = match_template(scene, template)
        milliseconds = 1000 * (time.perf_counter() - begin)
    if first:
        found.astype(numpy.float32).tofile(f"{folder}/map")
    first = False
    del found
    print(milliseconds, flush=True)
