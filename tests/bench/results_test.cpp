#include <QtTest>

#include "tests/bench/results.h"
#include "tests/support/test_class.h"

using namespace flcc;

/// tests/bench/RESULTS.md beside tests/bench/results.
class BenchResultsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void thePageIsMadeFromTheFigures() {
        QFile file(FLCC_SOURCE "/tests/bench/RESULTS.md");
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QList<QByteArray> page = file.readAll().split('\n');
        const QList<QByteArray> made =
            QByteArray::fromStdString(bench::resultsPage(FLCC_SOURCE "/tests/bench/results"))
                .split('\n');
        for (qsizetype line = 0; line < std::min(page.size(), made.size()); ++line) {
            QCOMPARE(page[line], made[line]);
        }
        QCOMPARE(page.size(), made.size());
        QVERIFY(page.size() <= 151); // one page
    }
};

const flcc::test::TestClass<BenchResultsTest> kBenchResultsTest;
#include "results_test.moc"
