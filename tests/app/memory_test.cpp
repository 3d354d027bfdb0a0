#include <QtTest>

#include "tests/app/memory_cases.h"
#include "tests/support/test_class.h"

class CliMemoryTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aFailedAllocationIsASentence_data() { flcc::test::addMemoryRows(); }
    void aFailedAllocationIsASentence() {
        QFETCH(QString, scene);
        QFETCH(QStringList, options);
        flcc::test::verifyFailedAllocations(scene, options, 50);
    }
};

const flcc::test::TestClass<CliMemoryTest> kCliMemoryTest;
#include "memory_test.moc"
