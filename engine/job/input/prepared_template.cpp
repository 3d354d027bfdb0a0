// A template as it is compared, and its spectrum, to look at.

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "engine/base/error.h"
#include "engine/job/input/inputs.h"
#include "engine/job/preparation.h"

namespace flcc::job {

namespace {

/// The discrete Fourier transform of lines, by its definition: pictures are small.
using Line = std::vector<std::complex<double>>;

void transform(std::vector<Line>& lines) {
    if (lines.empty()) {
        return;
    }
    const std::size_t n = lines.front().size();
    Line roots(n);
    for (std::size_t i = 0; i < n; ++i) {
        roots[i] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i) /
                                       static_cast<double>(n));
    }
    for (Line& line : lines) {
        Line made(n);
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t i = 0; i < n; ++i) {
                made[k] += line[i] * roots[i * k % n];
            }
        }
        line = std::move(made);
    }
}

std::vector<Line> turned(const std::vector<Line>& lines) {
    std::vector<Line> made(lines.front().size(), Line(lines.size()));
    for (std::size_t y = 0; y < lines.size(); ++y) {
        for (std::size_t x = 0; x < lines[y].size(); ++x) {
            made[x][y] = lines[y][x];
        }
    }
    return made;
}

/// The projection of an image along y, or an image of one slice: by the theorem of the central
/// slice its transform is a plane of that of the image. Twice as long as the image, so that the
/// spectrum is smooth.
std::vector<Line> projected(const base::Image<float>& image) {
    constexpr std::int64_t kMost = 256;
    const base::Extents& n = image.extents();
    const bool flat = n.z == 1;
    const std::int64_t width = std::min(n.x, kMost);
    const std::int64_t height = std::min(flat ? n.y : n.z, kMost);
    std::vector<Line> lines(static_cast<std::size_t>(2 * height),
                            Line(static_cast<std::size_t>(2 * width)));
    for (std::int64_t v = 0; v < height; ++v) {
        for (std::int64_t x = 0; x < width; ++x) {
            double sum = 0;
            for (std::int64_t y = flat ? v : 0; y < (flat ? v + 1 : n.y); ++y) {
                sum += static_cast<double>(image.view().at(x, y, flat ? 0 : v));
            }
            lines[static_cast<std::size_t>(v)][static_cast<std::size_t>(x)] = sum;
        }
    }
    return lines;
}

base::Image<float> spectrumOf(const base::Image<float>& image) {
    constexpr double kDecades = 4; // of power, from black to white
    std::vector<Line> lines = projected(image);
    transform(lines);
    lines = turned(lines);
    transform(lines);
    const auto width = static_cast<std::int64_t>(lines.size());
    const auto height = static_cast<std::int64_t>(lines.front().size());
    double most = 0;
    for (const Line& line : lines) {
        for (const std::complex<double>& value : line) {
            most = std::max(most, std::norm(value));
        }
    }
    base::Image<float> made({width, height, 1});
    for (std::int64_t y = 0; y < height; ++y) {
        for (std::int64_t x = 0; x < width; ++x) {
            const auto kx = static_cast<std::size_t>((x + width - width / 2) % width);
            const auto ky = static_cast<std::size_t>((y + height - height / 2) % height);
            const double power = std::norm(lines[kx][ky]);
            const double decades = power > 0 ? std::log10(power / most) : -kDecades;
            made.view().at(x, y, 0) =
                static_cast<float>(std::clamp(1 + decades / kDecades, 0.0, 1.0));
        }
    }
    return made;
}

} // namespace

std::shared_ptr<const PreparedTemplate>
preparedTemplate(const Job& job, const std::shared_ptr<const SceneImage>& scene,
                 const std::shared_ptr<const SceneImage>& templ,
                 const std::shared_ptr<const MaskImage>& mask, const std::stop_token& stop) {
    Job own;
    own.preparation = job.preparation;
    own.preparation.polarity =
        own.preparation.polarity == Polarity::Both ? Polarity::Bright : own.preparation.polarity;
    own.invert = job.invert;
    own.spacing = job.spacing;
    own.world = job.world;
    own.threads = job.threads;
    own.memoryBytes = job.memoryBytes;
    JobImages images{.scene = scene, .templates = {templ}};
    if (mask) {
        images.masks = {mask};
    }
    const detail::Inputs inputs = detail::readInputs(own, images, "", stop);
    if (stop.stop_requested()) {
        return nullptr;
    }
    const method::MaskedView view = inputs.templates.front().view();
    auto made = std::make_shared<PreparedTemplate>();
    made->pixels = base::Image<float>(view.extents());
    const base::Extents& n = view.extents();
    std::visit(
        [&](const auto& pixels) {
            double mean = 0;
            double count = 0;
            const auto each = [&](const auto& take) {
                for (std::int64_t z = 0; z < n.z; ++z) {
                    for (std::int64_t y = 0; y < n.y; ++y) {
                        for (std::int64_t x = 0; x < n.x; ++x) {
                            take(x, y, z,
                                 view.mask.data() == nullptr || view.mask.at(x, y, z) != 0);
                        }
                    }
                }
            };
            each([&](std::int64_t x, std::int64_t y, std::int64_t z, bool in) {
                mean += in ? static_cast<double>(pixels.at(x, y, z)) : 0;
                count += in ? 1 : 0;
            });
            mean /= std::max(1.0, count);
            each([&](std::int64_t x, std::int64_t y, std::int64_t z, bool in) {
                made->pixels.view().at(x, y, z) =
                    in ? static_cast<float>(static_cast<double>(pixels.at(x, y, z)) - mean) : 0;
            });
        },
        view.pixels);
    made->spectrum = spectrumOf(made->pixels);
    made->report = inputs.preparation.value_or(PreparationReport());
    return made;
}

} // namespace flcc::job
