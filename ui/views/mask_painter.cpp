#include "ui/views/mask_painter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/base/error.h"
#include "ui/base/latest_work.h"
#include "ui/base/option_names.h"
#include "ui/base/text.h"

namespace flcc::ui {
namespace {

/// Each step of a stroke copies the mask.
constexpr std::int64_t kMostVoxels = std::int64_t{1} << 26;

base::Image<std::uint8_t> copyOf(const base::Image<std::uint8_t>& image) {
    base::Image<std::uint8_t> copy(image.extents());
    std::copy_n(image.data(), image.count(), copy.data());
    return copy;
}

base::Point minus(const base::Point& point, const base::Index& corner) {
    return {point[0] - static_cast<double>(corner.x), point[1] - static_cast<double>(corner.y),
            point[2] - static_cast<double>(corner.z)};
}

} // namespace

MaskPainter::MaskPainter(Document& document, QObject* parent)
    : QObject(parent), m_document(document), m_work(new LatestWork(this)) {
    connect(&m_document, &Document::sceneChanged, this, [this] {
        m_work->cancel();
        m_canvas.reset();
    });
}

std::optional<base::Box> MaskPainter::place() const {
    const TemplateEntry* templ = m_document.templ();
    const auto& box = m_document.box();
    if (templ == nullptr) {
        return box;
    }
    const base::Extents extents = m_document.templateExtents();
    if (box && box->extents == extents) {
        return box;
    }
    if (templ->crop) {
        return templ->crop;
    }
    const ResultEntry* result = m_document.result();
    if (result != nullptr && m_document.selectedPeak() >= 0) {
        const match::Peak& peak =
            result->job->peaks[static_cast<std::size_t>(m_document.selectedPeak())];
        if (peak.templ == m_document.activeTemplate()) {
            return base::Box{peak.corner, extents};
        }
    }
    return std::nullopt;
}

/// place(), with a box there so that the mask is seen; or a sentence.
std::optional<base::Box> MaskPainter::requirePlace() {
    const auto at = place();
    if (!at) {
        Q_EMIT message(m_document.templ() == nullptr
                           ? tr("There is no template to draw a mask for: drag a template box (4), "
                                "or open a template.")
                           : tr("The template is not in view: select a peak, or make the template "
                                "box %1 large, and draw there.")
                                 .arg(sizeText(m_document.templateExtents())));
    } else if (m_document.box() != at) {
        m_document.setBox(at);
    }
    return at;
}

std::optional<MaskPainter::Canvas> MaskPainter::makeCanvas(bool full) {
    const bool scene = m_settings.target == Target::Scene;
    const auto at =
        scene ? std::optional(base::Box{{0, 0, 0}, m_document.sceneExtents()}) : requirePlace();
    if (!at || !m_document.hasScene()) {
        return std::nullopt;
    }
    if (base::voxelCount(at->extents) > kMostVoxels) {
        Q_EMIT message(tr("A mask of %1 is too large to draw: make it with another program "
                          "and open it (File > Open mask).")
                           .arg(sizeText(at->extents)));
        return std::nullopt;
    }
    const auto& sceneMask = m_document.sceneMask();
    const MaskEntry* old = scene ? (sceneMask ? &*sceneMask : nullptr) : m_document.mask();
    Canvas canvas{std::make_shared<job::MaskImage>(), at->corner};
    canvas.image->support =
        old != nullptr && old->image->support.extents() == at->extents
            ? copyOf(old->image->support)
            : base::Image<std::uint8_t>(at->extents, full ? std::uint8_t{1} : std::uint8_t{0});
    canvas.image->source = "drawn";
    return canvas;
}

void MaskPainter::commit(const std::shared_ptr<const job::MaskImage>& image, Target target) {
    MaskEntry entry{image, tr("drawn"), {}};
    if (target == Target::Scene) {
        m_document.setSceneMask(std::move(entry), m_gesture);
    } else {
        m_document.setActiveMask(std::move(entry), m_gesture);
    }
}

void MaskPainter::stroke(const MaskStroke& stroke) {
    if (stroke.phase == MaskStroke::Phase::Begin) {
        m_canvas.reset();
        m_gesture = m_document.newGesture();
        if (m_settings.shape == Shape::Threshold) {
            const base::Box whole{{0, 0, 0}, m_document.sceneExtents()};
            const base::Index at{std::llround(stroke.to[0]), std::llround(stroke.to[1]),
                                 std::llround(stroke.to[2])};
            if (base::contains(whole.extents, {at, {1, 1, 1}})) {
                putRange(base::valueAt(base::viewOf(m_document.scene().image->pixels), at),
                         std::numeric_limits<double>::infinity());
            }
            return;
        }
        if (m_settings.inTheMiddle()) {
            (void)requirePlace();
        } else {
            const bool erases = m_settings.erase || stroke.erase;
            const bool masked = m_settings.target == Target::Scene
                                    ? m_document.sceneMask().has_value()
                                    : m_document.mask() != nullptr;
            m_canvas = makeCanvas(erases);
            m_before = m_canvas ? m_canvas->image : nullptr;
            m_touched = false;
            m_excludes = m_canvas && !masked && !erases;
        }
    }
    draw(stroke);
    if (stroke.phase == MaskStroke::Phase::End) {
        if (m_canvas && !m_touched) {
            m_excludes = false;
            Q_EMIT message(m_settings.target == Target::Scene
                               ? tr("The stroke changed no voxel of the mask.")
                               : tr("The stroke changed no voxel of the template's mask: draw "
                                    "inside the template box."));
        }
        if (std::exchange(m_excludes, false)) { // now, because the sentence moves the views
            Q_EMIT message(
                m_settings.target == Target::Scene
                    ? tr("Only what is drawn counts now: the rest of the scene is excluded. To "
                         "exclude what is drawn instead, press Invert, or draw with Ctrl.")
                    : tr("Only what is drawn counts now: the rest of the template is excluded. To "
                         "exclude what is drawn instead, press Invert, or draw with Ctrl."));
        }
        m_canvas.reset();
        m_before.reset();
        m_gesture = 0;
    }
}

/// A drag sets radius or sides by its distance from the middle; the height of a cylinder stays.
void MaskPainter::drawMiddle(const MaskStroke& stroke) {
    const auto at = place();
    if (!at || stroke.phase == MaskStroke::Phase::Begin) {
        return;
    }
    const auto tenths = [](double length) { return std::round(10 * length) / 10; };
    const base::Point p = minus(stroke.to, at->corner);
    const base::Extents& n = at->extents;
    const base::Point off{p[0] - static_cast<double>(n.x - 1) / 2,
                          p[1] - static_cast<double>(n.y - 1) / 2,
                          p[2] - static_cast<double>(n.z - 1) / 2};
    if (m_settings.shape != Shape::MiddleBox) {
        const base::Point e = base::voxelEdges(m_document.geometry(), m_document.isVolume());
        const double across = std::hypot(e[0] * off[0], e[1] * off[1]);
        m_settings.radius = tenths(
            m_settings.shape == Shape::Cylinder ? across : std::hypot(across, e[2] * off[2]));
    }
    for (std::size_t axis = 0; axis < 3 && m_settings.shape == Shape::MiddleBox; ++axis) {
        if (std::abs(stroke.to[axis] - stroke.from[axis]) > 0) { // not across the slice
            m_settings.sides[axis] = std::max(1.0, tenths(2 * std::abs(off[axis])));
        }
    }
    Q_EMIT shapeDrawn();
    putShape();
}

void MaskPainter::draw(const MaskStroke& stroke) {
    if (m_settings.inTheMiddle()) {
        drawMiddle(stroke);
        return;
    }
    if (!m_canvas) {
        return;
    }
    const std::uint8_t value = m_settings.erase || stroke.erase ? 0 : 1;
    const bool follows = m_settings.shape != Shape::Brush;
    auto next = std::make_shared<job::MaskImage>();
    next->source = m_canvas->image->source;
    next->support = copyOf(follows ? m_before->support : m_canvas->image->support);
    const base::Index& corner = m_canvas->corner;
    const base::Point edges = base::voxelEdges(m_document.geometry(), m_document.isVolume());
    if (m_settings.shape == Shape::Brush) {
        job::drawStroke(next->support, minus(stroke.last, corner), minus(stroke.to, corner),
                        m_settings.radius, value, edges);
    } else if (m_settings.shape == Shape::Sphere) {
        const base::Point centre = minus(stroke.from, corner);
        const double drawn = std::hypot(edges[0] * (stroke.to[0] - stroke.from[0]),
                                        edges[1] * (stroke.to[1] - stroke.from[1]),
                                        edges[2] * (stroke.to[2] - stroke.from[2]));
        job::drawStroke(next->support, centre, centre, drawn > 0 ? drawn : m_settings.radius, value,
                        edges);
    } else {
        base::Box box = stroke.box;
        box.corner.x -= corner.x;
        box.corner.y -= corner.y;
        box.corner.z -= corner.z;
        job::drawBox(next->support, box, value);
    }
    const auto& before = m_canvas->image->support;
    if (std::equal(before.data(), before.data() + before.count(), next->support.data())) {
        return; // an empty mask, or a copy of the old one, would be no step
    }
    m_touched = true;
    m_canvas->image = next;
    commit(next, m_settings.target);
}

void MaskPainter::putShape() {
    const auto at = requirePlace();
    if (!at) {
        return;
    }
    try {
        job::MaskShape shape;
        shape.soft = m_settings.soft;
        shape.round = m_settings.shape != Shape::MiddleBox;
        if (shape.round) {
            shape.radius = m_settings.radius;
            shape.height = m_settings.shape == Shape::Cylinder ? m_settings.height : 0;
        } else {
            shape.sides = m_settings.sides;
            shape.sides[2] = at->extents.z == 1 ? 1 : shape.sides[2];
        }
        m_document.setActiveMask({job::makeMask(shape, at->extents, m_document.geometry()),
                                  toQString(shape.text()), std::filesystem::path(shape.text())},
                                 m_gesture);
    } catch (const base::Error& error) {
        Q_EMIT message(inWindowWords(error));
    }
}

void MaskPainter::putRange(double low, double high) {
    const auto canvas = makeCanvas(false);
    if (!canvas) {
        return;
    }
    const bool scene = m_settings.target == Target::Scene;
    const bool erase = m_settings.erase;
    const TemplateEntry* templ = m_document.templ();
    const auto image = scene || templ == nullptr ? m_document.scene().image : templ->image;
    const auto place = scene || templ != nullptr ? std::nullopt : m_document.box();
    m_work->start([this, canvas = *canvas, image, place, low, high, erase,
                   target = m_settings.target](const std::stop_token&) -> std::function<void()> {
        const base::AnyView pixels =
            place ? base::partOf(base::viewOf(image->pixels), *place) : base::viewOf(image->pixels);
        if (!erase) {
            canvas.image->support.fill(0);
        }
        job::drawRange(canvas.image->support, pixels, low, high, erase ? 0 : 1);
        return [this, canvas, target] { commit(canvas.image, target); };
    });
}

void MaskPainter::invert() {
    if (const auto canvas = makeCanvas(true)) {
        base::Image<std::uint8_t>& support = canvas->image->support;
        for (std::int64_t i = 0; i < support.count(); ++i) {
            support.data()[i] = support.data()[i] != 0 ? 0 : 1;
        }
        commit(canvas->image, m_settings.target);
    }
}

void MaskPainter::clear() {
    if (m_settings.target == Target::Scene) {
        m_document.setSceneMask({});
    } else {
        m_document.setMasks({});
    }
}

} // namespace flcc::ui
