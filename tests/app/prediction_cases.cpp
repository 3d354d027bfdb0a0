#include "tests/app/prediction_cases.h"

#include <QTemporaryDir>
#include <QtTest>

#include <nlohmann/json.hpp>

#include "engine/io/image_file.h"

namespace flcc::test {

namespace {

/// Noise of the full range of bytes and 16 bits; floats between 1 and 2.
base::AnyImage noiseOf(const PredictedRun& run) {
    base::AnyImage scene = base::makeImage(run.type, run.scene);
    std::visit(
        [&](auto& image) {
            using Voxel = std::remove_pointer_t<decltype(image.data())>;
            std::uint64_t state = 1;
            for (std::int64_t i = 0; i < image.count(); ++i) {
                state = state * 6364136223846793005U + 1442695040888963407U;
                const auto bits = static_cast<std::uint32_t>(state >> 33U);
                if constexpr (std::is_floating_point_v<Voxel>) {
                    const double value = static_cast<double>(bits) * 0x1p-31;
                    const bool weak = run.filling == Filling::Uneven && i < image.count() / 2;
                    image.data()[i] = static_cast<Voxel>(1 + (weak ? value / 1024 : value));
                } else {
                    image.data()[i] = static_cast<Voxel>(bits);
                }
            }
        },
        scene);
    return scene;
}

QString joined(const base::Extents& extents) {
    return QString("%1,%2,%3").arg(extents.x).arg(extents.y).arg(extents.z);
}

} // namespace

CliRun outcomeOf(const PredictedRun& run) {
    const QTemporaryDir folder;
    const auto path = [&](const char* name) { return folder.filePath(name).toStdString(); };
    (void)io::writeImage(path("scene.mha"), base::viewOf(noiseOf(run)), {});
    const base::Extents& n = run.scene;
    const base::Extents& m = run.templ;
    const base::Extents corner{(n.x - m.x) / 3, (n.y - m.y) / 3, (n.z - m.z) / 3};
    QStringList arguments{"match",     "scene.mha", "--crop",     joined(corner) + ":" + joined(m),
                          "--method",  run.method,  "--planning", "estimate",
                          "--threads", "2",         "--audit",    "off",
                          "--json"};
    if (run.masked) {
        base::Image<std::uint8_t> mask(m, std::uint8_t{1});
        mask.data()[0] = 0;
        (void)io::writeImage(path("mask.mha"), mask.view(), {});
        arguments += QStringList{"--mask", "mask.mha"};
    }
    return runCli(arguments + run.options, folder.path());
}

RunMemory memoryOf(const PredictedRun& run) {
    const CliRun done = outcomeOf(run);
    if (done.code != 0) {
        qWarning() << done.errors;
        return {};
    }
    const auto report = nlohmann::json::parse(done.output.toStdString());
    const auto& poses = report.at("poses"); // which need memory beside that of the plan
    return {(poses.is_null() ? report.at("chosen").at("host_bytes") : poses.at("memory_bytes"))
                .get<double>(),
            report.at("run").at("peak_host_bytes").get<double>()};
}

void verifyPrediction(const PredictedRun& run) {
    const RunMemory memory = memoryOf(run);
    QVERIFY2(0 < memory.measured && memory.measured <= memory.predicted &&
                 memory.predicted <= 1.1 * memory.measured,
             qPrintable(QString("%1 predicted, %2 measured")
                            .arg(memory.predicted, 0, 'f', 0)
                            .arg(memory.measured, 0, 'f', 0)));
}

} // namespace flcc::test
