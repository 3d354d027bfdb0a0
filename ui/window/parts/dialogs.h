#pragma once

#include <QCoreApplication>
#include <QPointer>

#include <memory>

#include "ui/window/parts/parts.h"

namespace flcc::ui {

class AverageDialog;
class BatchDialog;
class FilterDialog;
class ManualWindow;
class PairsDialog;

/// Opens the windows of the menus Tools and Help.
class Dialogs {
    Q_DECLARE_TR_FUNCTIONS(Dialogs)

  public:
    explicit Dialogs(const Parts& parts);
    ~Dialogs();
    Dialogs(const Dialogs&) = delete;
    Dialogs& operator=(const Dialogs&) = delete;

    /// Opens the page of the panel with the focus, or the page shown last if there is none.
    void showManual();
    void showKeySheet();
    void showSelfTest();
    void showCalibrate();
    void showFigures();
    void showAbout();
    void showFeatures();
    PairsDialog* showPairs();
    FilterDialog& showFilter();
    void showAverage();
    void showBatch();
    /// Offers calibration once. Later the plan and the Tools menu lead there.
    void offerCalibration();
    void closeManual();

  private:
    const Parts& m_parts;
    std::unique_ptr<ManualWindow> m_manual; ///< created when the manual is first opened
    QPointer<FilterDialog> m_filter;        ///< null: closed
    QPointer<BatchDialog> m_batch;          ///< null: closed
    AverageDialog* m_average = nullptr;     ///< null: never opened
};

} // namespace flcc::ui
