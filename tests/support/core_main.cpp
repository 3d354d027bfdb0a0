#include <QCoreApplication>

#include "tests/support/test_class.h"

int main(int argc, char** argv) {
    const QCoreApplication application(argc, argv);
    return flcc::test::runTestClasses(argc, argv);
}
