#include <QSettings>
#include <QTemporaryDir>

#include <clocale>

#include "tests/support/test_class.h"
#include "ui/base/theme.h"
#include "ui/bridge/scene_widget.h"
#include "ui/window/application.h"

// The program as `flcc` starts it, with settings of its own.
int main(int argc, char** argv) {
    flcc::ui::prepareGraphics();
    QApplication::setApplicationName(QStringLiteral("flcc-test"));
    QApplication::setOrganizationName(QStringLiteral("flcc-test"));
    const flcc::ui::Application application(argc, argv);
    std::setlocale(LC_NUMERIC, "C");
    const QTemporaryDir settings;
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings.path());
    flcc::ui::applyTheme(flcc::ui::Theme::Dark);
    return flcc::test::runTestClasses(argc, argv);
}
