#include <QtTest>

#include "tests/app/memory_cases.h"
#include "tests/support/test_class.h"

class CliSlowMemoryTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aThousandFailedAllocationsAreSentences_data() { flcc::test::addMemoryRows(); }
    void aThousandFailedAllocationsAreSentences() {
        QFETCH(QString, scene);
        QFETCH(QStringList, options);
        flcc::test::verifyFailedAllocations(scene, options, 1000);
    }
};

const flcc::test::TestClass<CliSlowMemoryTest> kCliSlowMemoryTest;
#include "slow_memory_test.moc"
