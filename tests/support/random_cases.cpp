#include "tests/support/random_cases.h"

#include <QtTest>

#include "tests/support/effort.h"

namespace flcc::test {

std::string judgeRandomCases(std::int64_t usual,
                             const std::function<std::string(std::uint64_t)>& judge) {
    if (kSanitized) {
        return {};
    }
    const double seconds = qEnvironmentVariable("FLCC_RANDOM_SECONDS").toDouble();
    const std::uint64_t first =
        qEnvironmentVariable("FLCC_RANDOM_SEED", QStringLiteral("1")).toULongLong();
    QElapsedTimer watch;
    watch.start();
    std::int64_t count = 0;
    while (seconds > 0 ? static_cast<double>(watch.elapsed()) < 1000 * seconds : count < usual) {
        const std::uint64_t seed = first + static_cast<std::uint64_t>(count);
        const std::string fault = judge(seed);
        if (!fault.empty()) {
            return "FLCC_RANDOM_SEED=" + std::to_string(seed) + ": " + fault;
        }
        ++count;
    }
    qInfo("%lld random cases in %.1f s", static_cast<long long>(count),
          static_cast<double>(watch.elapsed()) / 1000);
    return {};
}

} // namespace flcc::test
