#include "engine/base/allocation.h"
#include "ui/startup.h"

int main(int argc, char** argv) {
    flcc::base::keepFreedBuffers();
    return flcc::ui::runDesktop(argc, argv, QStringLiteral(FLCC_VERSION));
}
