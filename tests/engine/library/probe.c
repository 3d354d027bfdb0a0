/* probe METHOD PLANNING: plans and runs small problems by the C interface. Ends with 0, or with the
 * code of the first function that failed, whose sentence it prints. Without arguments it does
 * nothing. */
#include <stdio.h>
#include <string.h>

#include "flcc.h"

enum { N = 24, M = 5 };

static int failed(flcc_code code) {
    if (code == FLCC_OK) {
        return 0;
    }
    fputs(flcc_last_error(), stderr);
    /* An error without a sentence is a defect. */
    return flcc_last_error()[0] == '\0' ? FLCC_INTERNAL : (int)code;
}

static int probe(const flcc_options* options, const float* scene, const float* templ, float* result,
                 unsigned char* status) {
    const flcc_extents n = {N, N, 1};
    const flcc_extents m = {M, M, 1};
    flcc_conv* conv = NULL;
    flcc_lcorr* lcorr = NULL;
    int code = failed(conv_plan(&conv, n, m, options));
    if (code == 0) {
        code = failed(conv_exec(conv, scene, templ, result));
    }
    if (code == 0) {
        code = failed(lcorr_plan(&lcorr, n, m, options));
    }
    if (code == 0) {
        code = failed(lcorr_exec(lcorr, scene, templ, result, status));
    }
    conv_destroy(conv);
    lcorr_destroy(lcorr);
    return code;
}

int main(int argc, char** argv) {
    flcc_options options;
    float* scene;
    float* result;
    float templ[M * M];
    unsigned char status[N * N];
    int code;
    int i;
    if (argc < 3) {
        return 0;
    }
    memset(&options, 0, sizeof(options));
    options.method = argv[1];
    options.planning = argv[2];
    options.threads = 2;
    scene = flcc_malloc(sizeof(float) * N * N);
    code = failed(scene == NULL ? FLCC_MEMORY : FLCC_OK);
    result = code == 0 ? flcc_malloc(sizeof(float) * N * N) : NULL;
    if (code == 0 && result == NULL) {
        code = failed(FLCC_MEMORY);
    }
    if (code == 0) {
        for (i = 0; i < N * N; ++i) {
            scene[i] = (float)(i * 7919 % 251);
        }
        for (i = 0; i < M * M; ++i) {
            templ[i] = (float)(i * 31 % 17);
        }
        code = probe(&options, scene, templ, result, status);
    }
    flcc_free(scene);
    flcc_free(result);
    return code;
}
