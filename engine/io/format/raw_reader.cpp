#include "engine/io/format/raw_reader.h"

#include <algorithm>
#include <utility>

#include "engine/io/format/value_reader.h"

namespace flcc::io::detail {

namespace {

constexpr std::int64_t kBlockBytes = 2 << 20; // fewer than count as memory (choose)
constexpr std::int64_t kFarBytes = 1 << 14;   // a gap that is skipped rather than read
constexpr std::int64_t kLongRow = 1 << 12;    // bytes of a row that needs no block

/// An axis of the voxels that are wanted. The step along it in the file, and in the planes: in
/// voxels of a plane, or from one plane to the next.
struct Span {
    std::int64_t count = 1;
    std::int64_t inFile = 0;
    std::int64_t inPlane = 0;
    std::int64_t plane = 0;
};

/// The first voxel that is wanted: its number in the file, and the wanted axes.
struct Wanted {
    std::int64_t first = 0;
    std::vector<Span> spans; ///< the fastest in the file first
};

/// Joins axes that follow each other without a gap both in the file and in the plane.
void join(std::vector<Span>& spans) {
    std::vector<Span> joined;
    for (const Span& span : spans) {
        if (!joined.empty() && joined.back().plane == 0 && span.plane == 0 &&
            span.inFile == joined.back().inFile * joined.back().count &&
            span.inPlane == joined.back().inPlane * joined.back().count) {
            joined.back().count *= span.count;
        } else {
            joined.push_back(span);
        }
    }
    spans = std::move(joined);
}

Wanted wantedOf(const std::vector<Step>& steps, const base::Box& box, Choice choice) {
    Wanted wanted;
    std::int64_t component = 1;
    const auto add = [&](std::int64_t corner, Span span) {
        wanted.first += corner * span.inFile;
        if (span.count > 1) {
            wanted.spans.push_back(span);
        }
    };
    const auto take = [](int& number, const Step& step) {
        const std::int64_t at = number % step.length;
        number = static_cast<int>(number / step.length);
        return at * step.stride;
    };
    const base::Extents& n = box.extents;
    for (const Step& step : steps) {
        switch (step.role) {
        case AxisRole::X:
            add(box.corner.x, {n.x, step.stride, 1, 0});
            break;
        case AxisRole::Y:
            add(box.corner.y, {n.y, step.stride, n.x, 0});
            break;
        case AxisRole::Z:
            add(box.corner.z, {n.z, step.stride, n.x * n.y, 0});
            break;
        case AxisRole::Component:
            add(0, {step.length, step.stride, 0, component});
            component *= step.length;
            break;
        case AxisRole::Channel:
            wanted.first += take(choice.channel, step);
            break;
        case AxisRole::Frame:
            wanted.first += take(choice.frame, step);
            break;
        }
    }
    std::stable_sort(wanted.spans.begin(), wanted.spans.end(),
                     [](const Span& a, const Span& b) { return a.inFile < b.inFile; });
    join(wanted.spans);
    if (wanted.spans.empty()) {
        wanted.spans.push_back({1, 1, 1, 0});
    }
    return wanted;
}

/// Copies the values of a block to their places in the planes.
void scatter(const base::AnyImage& block, const std::vector<Span>& spans, std::int64_t plane,
             std::int64_t at, std::vector<base::AnyImage>& planes) {
    // The longest axis is the innermost loop.
    std::vector<Span> order = spans;
    std::sort(order.begin(), order.end(),
              [](const Span& a, const Span& b) { return a.count > b.count; });
    const Span row = order.front();
    std::vector<std::int64_t> index(order.size(), 0);
    std::visit(
        [&](const auto& source) {
            using Plane = std::decay_t<decltype(source)>;
            std::vector<decltype(std::declval<Plane&>().data())> targets;
            for (base::AnyImage& image : planes) {
                targets.push_back(std::get<Plane>(image).data());
            }
            while (true) {
                std::int64_t from = 0;
                std::int64_t to = at;
                std::int64_t number = plane;
                for (std::size_t i = 1; i < order.size(); ++i) {
                    from += index[i] * order[i].inFile;
                    to += index[i] * order[i].inPlane;
                    number += index[i] * order[i].plane;
                }
                const auto* values = source.data() + from;
                if (row.plane == 0) {
                    auto* target = targets[static_cast<std::size_t>(number)] + to;
                    for (std::int64_t i = 0; i < row.count; ++i) {
                        target[i * row.inPlane] = values[i * row.inFile];
                    }
                } else {
                    for (std::int64_t i = 0; i < row.count; ++i) {
                        targets[static_cast<std::size_t>(number + i * row.plane)][to] =
                            values[i * row.inFile];
                    }
                }
                std::size_t axis = 1;
                while (axis < order.size() && ++index[axis] == order[axis].count) {
                    index[axis++] = 0;
                }
                if (axis >= order.size()) {
                    return;
                }
            }
        },
        block);
}

/// The parts that are read at once: all of the first `whole` axes, and steps of the next.
struct Portion {
    std::size_t whole = 0;
    std::int64_t steps = 1;
    std::int64_t values = 1; ///< in the file from the first to the last of a part
    bool direct = false;     ///< they lie in the plane as they lie in the file
};

Portion portionOf(const std::vector<Span>& spans, std::int64_t bytes) {
    Portion parts;
    const Span& first = spans.front();
    if (first.inFile == 1 && first.inPlane == 1 &&
        (spans.size() == 1 || first.count * bytes >= kLongRow)) {
        return {.whole = 1, .steps = 1, .values = first.count, .direct = true};
    }
    const std::int64_t most = kBlockBytes / bytes;
    for (const Span& span : spans) {
        const bool near = span.inFile * bytes <= kFarBytes || span.inFile / 8 <= parts.values;
        const std::int64_t fit = near ? (most - parts.values) / span.inFile + 1 : 1;
        if (fit < span.count) {
            parts.steps = std::max<std::int64_t>(1, fit);
            parts.values += (parts.steps - 1) * span.inFile;
            return parts;
        }
        parts.values += (span.count - 1) * span.inFile;
        ++parts.whole;
    }
    return parts;
}

void readPortions(ValueReader& values, const Wanted& wanted, base::PixelType pixel,
                  std::vector<base::AnyImage>& planes) {
    const std::int64_t bytes = base::bytesPerVoxel(pixel);
    const std::vector<Span>& spans = wanted.spans;
    const Portion parts = portionOf(spans, bytes);
    base::AnyImage block = base::makeImage(pixel, {parts.direct ? 1 : parts.values, 1, 1});
    std::vector<std::int64_t> index(spans.size(), 0);
    while (true) {
        std::vector<Span> inside(spans.begin(),
                                 spans.begin() + static_cast<std::ptrdiff_t>(parts.whole));
        if (parts.whole < spans.size()) {
            inside.push_back(spans[parts.whole]);
            inside.back().count = std::min(parts.steps, inside.back().count - index[parts.whole]);
        }
        std::int64_t first = wanted.first;
        std::int64_t at = 0;
        std::int64_t plane = 0;
        for (std::size_t i = parts.whole; i < spans.size(); ++i) {
            first += index[i] * spans[i].inFile;
            at += index[i] * spans[i].inPlane;
            plane += index[i] * spans[i].plane;
        }
        if (parts.direct) {
            auto& target = planes[static_cast<std::size_t>(plane)];
            values.read(first, static_cast<char*>(bytesOf(target)) + at * bytes, parts.values);
        } else {
            std::int64_t count = 1;
            for (const Span& span : inside) {
                count += (span.count - 1) * span.inFile;
            }
            values.read(first, bytesOf(block), count);
            scatter(block, inside, plane, at, planes);
        }
        std::size_t axis = parts.whole;
        for (; axis < spans.size(); ++axis) {
            index[axis] += axis == parts.whole ? parts.steps : 1;
            if (index[axis] < spans[axis].count) {
                break;
            }
            index[axis] = 0;
        }
        if (axis >= spans.size()) {
            return;
        }
    }
}

} // namespace

RawReader::RawReader(ImageInfo info, const RawLayout& layout, ReadFiles* files,
                     const std::stop_token& stop)
    : m_info(std::move(info)), m_steps(stepsOf(layout, m_info)),
      m_values(std::make_unique<ValueReader>(layout, m_info.pixel, valuesOf(layout, m_info), files,
                                             stop)) {}

RawReader::~RawReader() = default;

std::vector<base::AnyImage> RawReader::read(const base::Box& box, const Choice& choice) {
    std::vector<base::AnyImage> planes;
    for (int i = 0; i < m_info.components; ++i) {
        planes.push_back(base::makeImage(m_info.pixel, box.extents));
    }
    readPortions(*m_values, wantedOf(m_steps, box, choice), m_info.pixel, planes);
    m_values->finish();
    return planes;
}

} // namespace flcc::io::detail
