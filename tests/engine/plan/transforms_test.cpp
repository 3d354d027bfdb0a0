#include <QTest>

#include <algorithm>
#include <string>

#include "engine/base/tile_pool.h"
#include "engine/plan/knowledge.h"
#include "engine/plan/planner.h"
#include "tests/support/test_class.h"

using namespace flcc;
using method::Transforms;

namespace {

method::Problem pictureProblem(const base::Extents& scene, const base::Extents& templ) {
    method::Problem problem;
    problem.scene = scene;
    problem.templ = templ;
    return problem;
}

std::vector<plan::CandidateReport> rowsOf(const method::Problem& problem, const std::string& method,
                                          Transforms transforms,
                                          const base::Extents& tile = {0, 0, 0}) {
    plan::Request request;
    request.planning = plan::Planning::Estimate;
    request.device = method::kProcessor;
    request.method = method;
    request.tile = tile;
    request.limits.transforms = transforms;
    base::TilePool pool(1);
    return plan::makePlan(problem, request, nullptr, nullptr, nullptr, pool).report.candidates;
}

} // namespace

class TransformsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    // FFTW transforms whole scenes as a candidate of its own. A choice of transforms holds for all
    // methods that have them; a method without them refuses it, auto ignores it there.
    void transformsAreCandidates() {
        const method::Problem problem = pictureProblem({300, 280, 1}, {12, 12, 1});
        const auto both = rowsOf(problem, "fourier", Transforms::Auto);
        QCOMPARE(both.size(), std::size_t{2});
        QVERIFY(both[0].candidate.transforms != both[1].candidate.transforms);
        for (const plan::CandidateReport& row : both) {
            QVERIFY(row.prediction.has_value());
            QCOMPARE(row.prediction->fftPlanning == "own",
                     row.candidate.transforms == Transforms::Own);
        }
        for (const Transforms transforms : {Transforms::Own, Transforms::Fftw}) {
            for (const char* name : {"tiled", "fourier"}) {
                for (const plan::CandidateReport& row : rowsOf(problem, name, transforms)) {
                    QVERIFY(row.candidate.transforms == transforms);
                }
            }
            const auto any = rowsOf(problem, "auto", transforms);
            QVERIFY(any.front().verdict == plan::CandidateVerdict::Chosen);
            QVERIFY(std::any_of(any.begin(), any.end(), [](const plan::CandidateReport& row) {
                return row.candidate.transforms == Transforms::Auto && row.prediction;
            }));
        }
        const auto direct = rowsOf(problem, "direct", Transforms::Fftw);
        QVERIFY(direct.front().verdict == plan::CandidateVerdict::Refused);
        QVERIFY(direct.front().reason.find("leave out --transforms") != std::string::npos);
        // 11 is a factor of no length of ours.
        const auto odd = rowsOf(problem, "fourier", Transforms::Own, {330, 330, 1});
        QVERIFY(odd.front().reason.find("--transforms fftw") != std::string::npos);
        QVERIFY(rowsOf(problem, "fourier", Transforms::Auto, {330, 330, 1})
                    .front()
                    .candidate.transforms == Transforms::Fftw);
        // Beyond this, a job of FFTW would take too long to be cancelled.
        const method::Problem huge = pictureProblem({16384, 16384, 1}, {12, 12, 1});
        for (const plan::CandidateReport& row : rowsOf(huge, "fourier", Transforms::Auto)) {
            QCOMPARE(row.verdict == plan::CandidateVerdict::Refused,
                     row.candidate.transforms == Transforms::Fftw);
        }
        QVERIFY(plan::problemKey(problem, {.transforms = Transforms::Own}, "", "", "", {}) !=
                plan::problemKey(problem, {.transforms = Transforms::Fftw}, "", "", "", {}));
    }
};

const flcc::test::TestClass<TransformsTest> kTransformsTest;
#include "transforms_test.moc"
