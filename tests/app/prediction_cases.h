#pragma once

#include <QString>
#include <QStringList>

#include "engine/base/pixels.h"
#include "tests/app/cli_process.h"

namespace flcc::test {

/// What a scene of the memory tests is filled with: noise, or noise a thousandth as strong in its
/// upper half, which single precision cannot keep the promise on.
enum class Filling { Even, Uneven };

/// A run whose memory is compared with its prediction.
struct PredictedRun {
    QString method;
    base::Extents scene;
    base::Extents templ; ///< cut from the scene
    base::PixelType type = base::PixelType::UInt8;
    Filling filling = Filling::Even;
    QStringList options{}; ///< further options
    bool masked = false;   ///< the template has a mask
};

/// Runs flcc-cli in a folder of its own; the output is the report.
[[nodiscard]] CliRun outcomeOf(const PredictedRun& run);

/// Predicted and measured bytes of a run, from its report; both -1 if it failed.
struct RunMemory {
    double predicted = -1;
    double measured = -1;
};
[[nodiscard]] RunMemory memoryOf(const PredictedRun& run);

/// Verifies that the measured memory is at most the predicted one, and the predicted one at most
/// 1.1 times the measured one.
void verifyPrediction(const PredictedRun& run);

} // namespace flcc::test
