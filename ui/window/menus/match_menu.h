#pragma once

#include <QCoreApplication>

#include "ui/window/parts/parts.h"

namespace flcc::ui {

/// The menu Match.
class MatchMenu {
    Q_DECLARE_TR_FUNCTIONS(MatchMenu)

  public:
    explicit MatchMenu(const Parts& parts);

  private:
    const Parts& m_parts;
};

} // namespace flcc::ui
