#include <QtTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/io/image_file.h"
#include "engine/job/input/mask_values.h"
#include "engine/job/mask_shape.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::PixelType;
using job::Job;
using job::detail::MaskValues;

namespace {

constexpr base::Box kCut{{30, 20, 0}, {12, 10, 1}};

template <class T> base::Image<T> rowOf(const std::vector<T>& values) {
    base::Image<T> image({std::ssize(values), 1, 1});
    std::copy(values.begin(), values.end(), image.data());
    return image;
}

template <class T> MaskValues valuesOf(const std::vector<T>& values) {
    const base::Image<T> image = rowOf(values);
    return job::detail::maskValues(base::AnyView(image.view()), "m.mrc");
}

template <class T> std::string refusal(const std::vector<T>& values) {
    const test::Thrown thrown = test::thrownBy([&] { (void)valuesOf(values); });
    return thrown.code == base::ErrorCode::Problem ? thrown.sentence : "";
}

std::vector<int> supportOf(const MaskValues& mask) {
    return {mask.support.data(), mask.support.data() + mask.support.count()};
}

std::vector<double> weightsOf(const MaskValues& mask) {
    return {mask.weights.data(), mask.weights.data() + mask.weights.count()};
}

std::vector<std::uint8_t> ramp(int last, int step) {
    std::vector<std::uint8_t> values;
    for (int value = 0; value <= last; value += step) {
        values.push_back(static_cast<std::uint8_t>(value));
    }
    return values;
}

/// Weights that fall off from the middle of a template, multiplied and shifted.
job::SceneImage soft(double scale, double shift) {
    base::Image<float> image(kCut.extents);
    for (std::int64_t y = 0; y < kCut.extents.y; ++y) {
        for (std::int64_t x = 0; x < kCut.extents.x; ++x) {
            const double r = std::hypot(static_cast<double>(x) - 5.5, static_cast<double>(y) - 4.5);
            const double weight = std::clamp((5 - r) / 3, 0.0, 1.0);
            image.view().at(x, y, 0) = static_cast<float>(scale * weight + shift);
        }
    }
    job::SceneImage made;
    made.pixels = std::move(image);
    made.source = "memory:soft";
    return made;
}

} // namespace

class MaskValuesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void roundingBeyond0And1IsClipped() {
        const MaskValues mask = valuesOf<float>({-1e-7F, 0, 0.25F, 1, 1.0000001F});
        QCOMPARE(supportOf(mask), (std::vector<int>{0, 0, 1, 1, 1}));
        QCOMPARE(weightsOf(mask), (std::vector<double>{0, 0, 0.25, 1, 1}));
        QVERIFY(mask.warning.empty() && mask.note.empty());
        QCOMPARE(mask.counts, std::string("by weights of 0.25 to 1"));
        // What a transform leaves of a sharp mask is a sharp mask.
        const MaskValues sharp = valuesOf<float>({-2e-7F, 1e-7F, 0.9999999F, 1.0000002F});
        QCOMPARE(supportOf(sharp), (std::vector<int>{0, 0, 1, 1}));
        QVERIFY(sharp.weights.empty());
        QCOMPARE(sharp.counts, std::string("yes or no"));
    }

    void aMaskThatRingsIsClippedWithAWarning() {
        const MaskValues mask = valuesOf<float>({-0.12F, 0, 0.5F, 1.17F});
        QCOMPARE(weightsOf(mask), (std::vector<double>{0, 0, 0.5, 1}));
        QVERIFY2(mask.warning.find("-0.12") != std::string::npos &&
                     mask.warning.find("1.17") != std::string::npos,
                 mask.warning.c_str());
        // At the tolerance and beyond it.
        const auto over = static_cast<float>(1 + 2 * job::detail::kMaskRounding);
        const auto within = static_cast<float>(1 + job::detail::kMaskRounding / 2);
        QVERIFY(valuesOf<float>({0, 0.5F, within}).warning.empty());
        QVERIFY(!valuesOf<float>({0, 0.5F, over}).warning.empty());
    }

    void valuesThatAreNoMaskAreRefused() {
        QVERIFY(refusal<float>({-3.1F, 0, 8.2F}).find("from -3.1 to 8.2") != std::string::npos);
        QVERIFY(!refusal<double>({0, 0.5, 1.6}).empty());
        const float infinity = std::numeric_limits<float>::infinity();
        QVERIFY(refusal<float>({0, 1, infinity}).find("infinite") != std::string::npos);
        QVERIFY(!refusal<float>({0, 0}).empty());
        QVERIFY(!refusal<float>({0, -0.2F, -0.1F}).empty()); // nothing is left of it
    }

    void oneValueBeside0IsYesOrNo() {
        QVERIFY(valuesOf<float>({0, 1e-30F}).weights.empty());
        QVERIFY(valuesOf<double>({0, 1e300}).weights.empty());
        const MaskValues mask = valuesOf<std::int16_t>({0, -3, -3});
        QCOMPARE(supportOf(mask), (std::vector<int>{0, 1, 1}));
        QVERIFY(mask.note.empty());
    }

    void wholeNumbersAreWeightsOrLabelsAndSaySo() {
        const MaskValues weights = valuesOf(ramp(255, 15)); // 17 values
        QCOMPARE(weights.weights.data()[1], 15.0 / 255);
        QCOMPARE(weights.weights.data()[17], 1.0);
        QVERIFY2(weights.note.find("17 values") != std::string::npos &&
                     weights.note.find("divided by 255") != std::string::npos,
                 weights.note.c_str());
        std::vector<std::uint16_t> deep;
        for (int i = 0; i <= 20; ++i) {
            deep.push_back(static_cast<std::uint16_t>(i == 20 ? 65535 : 3276 * i));
        }
        QVERIFY(valuesOf(deep).note.find("divided by 65535") != std::string::npos);
        std::vector<float> floats;
        for (int i = 0; i <= 17; ++i) {
            floats.push_back(static_cast<float>(15 * i));
        }
        QCOMPARE(valuesOf(floats).weights.data()[1], 15.0 / 255);
        // Labels, and a picture that never reaches full weight.
        for (const MaskValues& labels :
             {valuesOf<std::uint8_t>({0, 1, 2, 3}), valuesOf<std::uint8_t>({0, 1, 2, 255}),
              valuesOf(ramp(240, 15)), valuesOf<float>({0, 1, 2})}) {
            QVERIFY(labels.weights.empty());
            QVERIFY(labels.note.find("yes or no") != std::string::npos);
        }
        QVERIFY(valuesOf<std::uint8_t>({0, 1, 2, 3}).note.find("3 values") != std::string::npos);
    }

    void weightsStayDoublesAndSubnormalFloatsAre0() {
        const MaskValues mask = valuesOf<double>({0, 0.1, 1e-39, 1.2e-38, 1});
        QCOMPARE(weightsOf(mask), (std::vector<double>{0, 0.1, 0, 1.2e-38, 1}));
        QCOMPARE(supportOf(mask), (std::vector<int>{0, 1, 0, 1, 1}));
    }

    void aMaskOfTheSceneCountsFromHalfOn() {
        job::SceneImage image;
        image.pixels = rowOf<float>({0, 0.1F, 0.5F, 0.9F, 1});
        image.source = "s.mrc";
        const auto mask = job::sceneMaskOf(job::maskOf(image));
        QVERIFY(mask->weights.empty());
        QCOMPARE((std::vector<int>{mask->support.data(), mask->support.data() + 5}),
                 (std::vector<int>{0, 0, 1, 1, 1}));
        QVERIFY(mask->warning.find("0.5") != std::string::npos);
        image.pixels = rowOf<float>({0, 0.1F, 0.2F});
        QCOMPARE(test::thrownBy([&] { (void)job::sceneMaskOf(job::maskOf(image)); }).code,
                 base::ErrorCode::Problem);
        const auto sharp = job::makeMask({true, 3, 0}, {9, 9, 1});
        QVERIFY(job::sceneMaskOf(sharp) == sharp && job::sceneMaskOf(nullptr) == nullptr);
    }

    void theRunSaysHowMasksCount() {
        base::AnyImage scene = test::noise(PixelType::Float32, {70, 60, 1}, 21);
        base::AnyImage templ = test::crop(scene, kCut);
        job::JobImages images = test::imagesOf(std::move(scene), std::move(templ));
        images.masks = {job::maskOf(soft(1, 0))};
        const job::JobResult plain = job::runJob({}, images);
        images.masks = {job::maskOf(soft(1.2, -0.1))};
        job::SceneImage labels;
        base::Image<std::uint8_t> two({70, 60, 1}, std::uint8_t{2});
        two.view().at(0, 0, 0) = 0;
        two.view().at(1, 0, 0) = 1;
        labels.pixels = std::move(two);
        labels.source = "memory:labels";
        images.sceneMask = job::maskOf(labels);
        const job::JobResult ringing = job::runJob({}, images);
        QCOMPARE(ringing.warnings.size(), plain.warnings.size() + 1);
        QVERIFY(std::ranges::any_of(ringing.notes, [](const std::string& note) {
            return note.find("2 values beside 0") != std::string::npos;
        }));
        const std::string summary = job::toSummary(ringing.report);
        const std::string text = job::toText(ringing.report);
        QVERIFY2(summary.find("Mask: memory:soft, by weights of ") != std::string::npos &&
                     summary.find("Scene mask: memory:labels, yes or no") != std::string::npos,
                 summary.c_str());
        QVERIFY(text.find("mask: memory:soft, by weights of ") != std::string::npos);
        const auto json = nlohmann::json::parse(job::toJson(ringing.report));
        QVERIFY(json["inputs"][2]["counts"].get<std::string>().starts_with("by weights"));
        QCOMPARE(json["inputs"][3]["counts"].get<std::string>(), std::string("yes or no"));
        QVERIFY(json["inputs"][0]["counts"].is_null());
        // The same places, up to what the ringing changes.
        QVERIFY(ringing.peaks.front().corner == plain.peaks.front().corner);
        QVERIFY(std::abs(ringing.peaks.front().score - 1) < 1e-12);
    }
};

const flcc::test::TestClass<MaskValuesTest> kMaskValuesTest;
#include "mask_values_test.moc"
