/* FLCC for C: convolutions and local correlation coefficients (LCC) of images and volumes.
 *
 * Describe a problem once and get a plan, run the plan on any number of images, destroy the plan.
 * The functions have the names of Table III of the paper on the FLCC library.
 *
 * Shapes: voxels lie in memory with x fastest, then y, then z, without gaps. A 2D image has z = 1.
 * Errors: functions return a code; flcc_last_error() says what was wrong in a sentence. After an
 *   error the contents of outputs are unspecified, and a plan can be used again. A sentence may
 *   name an option of flcc-cli ("--precision double"); the field of flcc_options with that name is
 *   meant.
 * Threads: any number of threads may use plans of their own. One plan serves one thread at a time.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef enum flcc_code {
    FLCC_OK = 0,
    FLCC_INTERNAL = 1, /* a defect of the library */
    FLCC_ARGUMENT = 2, /* a null pointer, an unknown word, a number outside its range */
    FLCC_PROBLEM = 4,  /* cannot be computed: a template larger than the scene, a constant template,
                          a method that does not do this */
    FLCC_MEMORY = 5    /* the memory limit is too small, or the system has no memory left */
} flcc_code;

typedef enum flcc_type {
    FLCC_FLOAT32 = 0,
    FLCC_FLOAT64,
    FLCC_UINT8,
    FLCC_INT8,
    FLCC_UINT16,
    FLCC_INT16,
    FLCC_UINT32,
    FLCC_INT32,
    FLCC_UINT64,
    FLCC_INT64
} flcc_type;

/* Number of voxels along each axis; at most 2^42 voxels. */
typedef struct flcc_extents {
    int64_t x;
    int64_t y;
    int64_t z;
} flcc_extents;

/* What else describes a problem. A field that is 0 or NULL has its default; so do all fields where
 * NULL is passed instead of options. */
typedef struct flcc_options {
    const char* extent; /* "valid" (default for LCC), "same" (default for convolution), "full" */
    const char* border; /* convolution: "zero" (default), "replicate", "mirror", "wrap" */
    const char* kernel; /* convolution: a filter by name, "gaussian:2" or "box:5"; NULL: weights */
    const char* method; /* "auto" (default), or a method as in `flcc-cli plan` */
    const char* planning;  /* "measure" (default): time candidates on random images; "estimate":
                              predict times; "exhaustive": time all candidates on whole images */
    const char* precision; /* "single" (default): results are float; "double": double */
    int scene_type;        /* an flcc_type: of the scenes' voxels */
    int template_type;     /* an flcc_type: of the template's or the kernel's voxels */
    int64_t scenes;        /* scenes of one call, one after the other in memory; 0: 1 */
    int64_t memory;        /* bytes that a run may take beside the scene; 0: no limit */
    int threads;           /* 0: all processors; at most 4096 */
} flcc_options;

typedef struct flcc_conv flcc_conv;   /* a plan for convolutions */
typedef struct flcc_lcorr flcc_lcorr; /* a plan for LCC */

/* Plans the convolution y(u) = sum over k of x(u - k) h(k) of scenes x with kernels h (FLCC (1)).
 * With options->kernel the kernel is that filter, and `kernel` is ignored. */
flcc_code conv_plan(flcc_conv** plan, flcc_extents scene, flcc_extents kernel,
                    const flcc_options* options);

/* Extents of one result: n - m + 1 (valid), n (same) or n + m - 1 (full) on each axis, for scenes
 * of n and a kernel of m voxels. 0 for a null pointer. */
flcc_extents conv_extents(const flcc_conv* plan);

/* Convolves options->scenes scenes, which lie one after the other, as do the results. `kernel`:
 * its weights, or NULL for those of the call before and for a kernel by name. Results that a NaN or
 * an infinite voxel reaches are NaN. */
flcc_code conv_exec(flcc_conv* plan, const void* scenes, const void* kernel, void* results);

void conv_destroy(flcc_conv* plan);

/* Plans the LCC of every placement of a template, of two voxels or more, in a scene (FLCC (3)). */
flcc_code lcorr_plan(flcc_lcorr** plan, flcc_extents scene, flcc_extents templ,
                     const flcc_options* options);

/* Extents of one map of scores, as those of a convolution. Voxel u of the map is the placement
 * whose first template voxel lies on scene voxel u (valid), u - floor(m / 2) (same) or u - (m - 1)
 * (full). 0 for a null pointer. */
flcc_extents lcorr_extents(const flcc_lcorr* plan);

/* Computes the scores, -1 to 1, of options->scenes scenes, which lie one after the other, as do
 * their scores and statuses. `templ`: the template's voxels, or NULL for those of the call before.
 * `status`: one byte for each score, or NULL. 0: a score; 1: the panel is constant; 2: NaN or
 * infinite voxels under the template; 3: a score of a panel that leaves the scene; 4: a score whose
 * error may be above 1e-4; 5: not computed. The score is 0 for 1, 2, 5. */
flcc_code lcorr_exec(flcc_lcorr* plan, const void* scenes, const void* templ, void* scores,
                     uint8_t* status);

void lcorr_destroy(flcc_lcorr* plan);

/* Memory aligned for vectors, freed by flcc_free(); NULL if there is not that much. Images in other
 * memory are allowed too. */
void* flcc_malloc(size_t bytes);
void flcc_free(void* data);

/* The sentence of the last error of a function in this thread; "" if its last function succeeded.
 * Valid until the thread's next call. */
const char* flcc_last_error(void);

#pragma GCC visibility pop
#ifdef __cplusplus
} // extern "C"
#endif
