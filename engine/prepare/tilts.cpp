#include "engine/prepare/tilts.h"

#include <cmath>
#include <numbers>

namespace flcc::prepare {

namespace {

constexpr double kDegree = std::numbers::pi / 180;

} // namespace

double wavelengthOf(double voltage) {
    const double volts = voltage * 1000;
    return 12.264259661581493 / std::sqrt(volts * (1 + 0.9784755917869367e-6 * volts));
}

double contrastTransfer(const Lens& lens, double frequency) {
    constexpr double kAngstroms = 1e7; // in a millimetre
    const double wave = wavelengthOf(lens.voltage);
    const double square = frequency * frequency;
    const double phase =
        std::numbers::pi * wave * lens.defocus * square -
        std::numbers::pi / 2 * lens.cs * kAngstroms * wave * wave * wave * square * square;
    return std::sin(phase + lens.phaseShift * kDegree + std::asin(lens.contrast));
}

double criticalDose(double frequency, double voltage) {
    constexpr double kLowVoltage = 250; // between 200 and 300 kV, which were measured
    const double dose = 0.24499 * std::pow(frequency, -1.6649) + 2.8141;
    return voltage < kLowVoltage ? 0.8 * dose : dose;
}

double doseWeight(double dose, double frequency, double voltage) {
    return frequency > 0 ? std::exp(-dose / (2 * criticalDose(frequency, voltage))) : 1;
}

double angstromsIn(std::string_view unit) {
    return unit == "A" ? 1 : unit == "nm" ? 10 : unit == "um" ? 1e4 : unit == "mm" ? 1e7 : 0;
}

} // namespace flcc::prepare
