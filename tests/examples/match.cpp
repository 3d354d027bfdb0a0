#include <cstdio>
#include <cstdlib>

#include "engine/base/random.h"
#include "engine/match/peaks.h"
#include "engine/plan/planner.h"

// Threads may be named: match_in_cpp 16. Without a number it takes those of the machine.
int main(int argc, char** argv) {
    using namespace flcc;
    base::Image<float> image({200, 100, 1});
    base::Random random(1);
    for (std::int64_t i = 0; i < image.count(); ++i) {
        image.data()[i] = static_cast<float>(random.uniform(0, 1));
    }
    const method::MaskedView scene(base::View<const float>(image.view()));
    const method::MaskedView templ = method::partOf(scene, {{120, 40, 0}, {16, 16, 1}});

    base::TilePool pool(argc > 1 ? std::atoi(argv[1]) : base::availableThreads());
    const method::Problem problem{.scene = scene.extents(), .templ = templ.extents()};
    const auto plan = plan::makePlan(problem, {}, &scene, &templ, nullptr, pool).plan;
    method::Session session = plan->session();
    session.prepare({templ}, pool);
    method::MatchMap map(method::mapExtents(problem));
    const method::Outcome outcome = session.run(scene, {.pool = pool}, viewOf(map));

    match::SearchedMap searched{{templ}, {0}, map.value.view(), map.status.view(), outcome.facts};
    searched.statistics = match::mapStatistics(map.value.view(), map.status.view());
    for (const match::Peak& peak : match::findPeaks(scene, {searched}, {}, {.minScore = 0.9})) {
        std::printf("score at %g,%g: %.4f\n", double(peak.corner.x), double(peak.corner.y),
                    peak.score);
    }
}
