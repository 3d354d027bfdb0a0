#pragma once

#include <QCoreApplication>

namespace flcc::ui {

class Exporter;

/// Asks for a file and writes one map of the statistics of the shown result's search.
class SearchExport {
    Q_DECLARE_TR_FUNCTIONS(flcc::ui::SearchExport)

  public:
    enum class Map { Mean, Deviation, Z };
    /// `exporter` tells what was saved and what failed, and outlives what it asks.
    static void ask(Exporter& exporter, Map map);
};

} // namespace flcc::ui
