#pragma once

#include <QObject>

#include <filesystem>
#include <vector>

#include "engine/match/decision.h"
#include "engine/match/panels.h"
#include "ui/document/document.h"

class QWidget;

namespace flcc::ui {

class Exporter;

/// Writes boxes of the shown scene, cut at the peaks of the shown result, as a stack.
class ParticleExport : public QObject {
    Q_OBJECT

  public:
    ParticleExport(Document& document, Exporter& exporter, QWidget& window);

    /// Asks what is cut and for a file name.
    void ask();
    /// Writes without asking: at the peaks that the table shows and, if `only` is not empty, with
    /// these decisions. The file is read back before it has its name.
    void write(const std::filesystem::path& path, match::PanelOptions options,
               const std::vector<match::Decision>& only);

  private:
    Document& m_document;
    Exporter& m_exporter;
    QWidget& m_window;
};

} // namespace flcc::ui
