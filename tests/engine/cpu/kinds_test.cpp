#include <QtTest>

#include <string>

#include "tests/engine/cpu/kinds.h"
#include "tests/support/test_class.h"

/// Scenes that are hard on an error bound, by every method of a device that is stood in for.
class KindsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    // What concentrates the errors of transforms, makes sums cancel, or is an ordinary picture.
    void hardScenesKeepTheirBounds_data() {
        QTest::addColumn<int>("kind");
        for (int kind = 0; kind < flcc::test::kKinds; ++kind) {
            QTest::addRow("kind %d", kind) << kind;
        }
    }

    void hardScenesKeepTheirBounds() {
        QFETCH(int, kind);
        const std::string fault =
            flcc::test::judgeKind(kind, 100 + static_cast<std::uint64_t>(kind));
        QVERIFY2(fault.empty(), fault.c_str());
    }
};

const flcc::test::TestClass<KindsTest> kKindsTest;
#include "kinds_test.moc"
