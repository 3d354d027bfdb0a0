#include "ui/startup.h"

int main(int argc, char** argv) {
    return flcc::ui::runDesktop(argc, argv, QStringLiteral(FLCC_VERSION));
}
