#include "tests/engine/cpu/harness.h"

namespace flcc::test {

namespace {

Judge& sharedJudge() {
    static Judge judge(judgedMethods(), 2);
    return judge;
}

std::string fault(const std::vector<Way>& ways, const method::MaskedView& scene,
                  const method::MaskedView& templ, const auto& expected) {
    for (const Way& way : ways) {
        const Finding finding = sharedJudge().judge(way, scene, templ, expected);
        if (!finding.fault.empty()) {
            return finding.fault;
        }
    }
    return ways.empty() && areJudged(base::pixelType(scene.pixels), templ.weights.data() != nullptr)
               ? "no method accepts the problem"
               : "";
}

} // namespace

std::vector<Way> waysFor(const method::MaskedView& scene, const method::MaskedView& templ,
                         const base::Extents& tile, const Asked& asked) {
    return sharedJudge().waysFor(scene, templ, tile, asked);
}

reference::ScoreMap judged(const method::MaskedView& scene, const method::MaskedView& templ,
                           const Asked& asked) {
    return Expected(scene, templ, asked).map();
}

std::string judge(const Way& way, const method::MaskedView& scene, const method::MaskedView& templ,
                  const reference::ScoreMap& expected) {
    return fault({way}, scene, templ, expected);
}

std::string judgeAll(const method::MaskedView& scene, const method::MaskedView& templ,
                     const base::Extents& tile, const Asked& asked) {
    return fault(waysFor(scene, templ, tile, asked), scene, templ, judged(scene, templ, asked));
}

std::string judgeSampled(const method::MaskedView& scene, const method::MaskedView& templ,
                         const std::vector<base::Index>& places, int count) {
    return fault(waysFor(scene, templ), scene, templ, samplesOf(scene, templ, places, count));
}

const std::vector<base::PixelType>& kernelTypes() {
    static const std::vector<base::PixelType> types{base::PixelType::UInt8, base::PixelType::Int16,
                                                    base::PixelType::UInt16,
                                                    base::PixelType::Float32};
    return types;
}

} // namespace flcc::test
