/* The peer of SAD in peer_filters.py: the definition as anybody would write it, for rows of the map
   from `begin` to `end`. */
#include <stdlib.h>

void plain_sad(const unsigned char *scene, long width, const unsigned char *templ, long side, int *map, long begin,
               long end) {
    const long columns = width - side + 1;
    for (long y = begin; y < end; ++y) {
        for (long x = 0; x < columns; ++x) {
            int sum = 0;
            for (long v = 0; v < side; ++v) {
                for (long u = 0; u < side; ++u) {
                    sum += abs(scene[(y + v) * width + x + u] - templ[v * side + u]);
                }
            }
            map[y * columns + x] = sum;
        }
    }
}
