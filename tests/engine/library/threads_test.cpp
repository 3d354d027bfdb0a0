#include <QtTest>

#include "engine/base/error.h"
#include "engine/plan/planner.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::PixelType;

/// Plans and pools of the C++ interface.
class LibraryThreadsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    /// A pool of more threads than the plan had written beyond the buffers of the plan's threads.
    static void aPoolLargerThanThePlanIsRefused() {
        const base::AnyImage image = test::noise(PixelType::Float32, {90, 80, 1}, 3);
        const base::AnyImage templ = test::crop(image, {{30, 20, 0}, {9, 7, 1}});
        const method::MaskedView scene(image);
        const method::MaskedView wanted(templ);
        const method::Problem problem{.scene = scene.extents(), .templ = wanted.extents()};
        base::TilePool large(16);
        base::TilePool small(1);
        for (const char* const name : {"direct", "tiled", "fourier", "tiled-template", "dif"}) {
            plan::Request request;
            request.method = name;
            request.device = "cpu";
            request.planning = plan::Planning::Estimate;
            const auto whole =
                plan::makePlan(problem, request, nullptr, nullptr, nullptr, large).plan;
            QCOMPARE(whole->candidate().threads, 16);
            method::Session session = whole->session();
            session.prepare({wanted}, small);
            method::MatchMap map(method::mapExtents(problem));
            for (base::TilePool* const pool : {&small, &large}) { // the buffers of one serve both
                (void)session.run(scene, {.pool = *pool, .stop = {}, .regionFinished = {}},
                                  method::viewOf(map));
                QVERIFY(map.value.view().at(30, 20, 0) > 0.999F);
            }
            request.limits.threads = 15;
            const auto fewer =
                plan::makePlan(problem, request, nullptr, nullptr, nullptr, large).plan;
            QCOMPARE(fewer->candidate().threads, 15);
            method::Session refused = fewer->session();
            refused.prepare({wanted}, large);
            QVERIFY_EXCEPTION_THROWN(
                (void)refused.run(scene, {.pool = large, .stop = {}, .regionFinished = {}},
                                  method::viewOf(map)),
                base::Error);
        }
    }
};

const flcc::test::TestClass<LibraryThreadsTest> kLibraryThreadsTest;
#include "threads_test.moc"
