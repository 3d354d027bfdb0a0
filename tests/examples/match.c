#include <flcc.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    enum { W = 200, H = 100, M = 16, X = 120, Y = 40 };
    static float scene[H][W], templ[M][M], score[H - M + 1][W - M + 1];
    for (int i = 0; i < W * H; ++i)
        scene[i / W][i % W] = (float)rand();
    for (int i = 0; i < M * M; ++i)
        templ[i / M][i % M] = scene[Y + i / M][X + i % M];

    flcc_lcorr* plan = NULL;
    flcc_code code = lcorr_plan(&plan, (flcc_extents){W, H, 1}, (flcc_extents){M, M, 1}, NULL);
    if (code == FLCC_OK)
        code = lcorr_exec(plan, scene, templ, score, NULL);
    if (code == FLCC_OK)
        printf("score at %d,%d: %.4f\n", X, Y, score[Y][X]);
    else
        fprintf(stderr, "%s\n", flcc_last_error());
    lcorr_destroy(plan);
    return code;
}
