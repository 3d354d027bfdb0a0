#include "viz/volume/volume_camera.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <vtkCamera.h>
#include <vtkMatrix4x4.h>
#include <vtkNew.h>

#include "viz/pixels/grey_pixels.h"
#include "viz/volume/box_lines.h"

namespace flcc::viz::detail {
namespace {

constexpr double kViewAngle = 25;
constexpr double kFitMargin = 1.03; // a fitted volume leaves this much room
constexpr double kSteepest = 89;    // degrees above or below the horizon
/// The eye of a parallel projection stays this many sizes of the volume away: what lies behind the
/// eye is not drawn.
constexpr double kParallelDistance = 4;

double tangent() { return std::tan(kViewAngle / 2 * std::numbers::pi / 180); }

/// Half of the height, in the world, that the view shows at the depth of its focal point.
double shownHalf(vtkCamera& camera) {
    return camera.GetParallelProjection() != 0 ? camera.GetParallelScale()
                                               : camera.GetDistance() * tangent();
}

/// Moves the eye along the direction of view until the view shows `half` of a volume of `size`.
void showHalf(vtkCamera& camera, double half, double size) {
    const bool parallel = camera.GetParallelProjection() != 0;
    const double distance = parallel ? kParallelDistance * size + 1 : half / tangent();
    std::array<double, 3> focus{};
    std::array<double, 3> forward{};
    camera.GetFocalPoint(focus.data());
    camera.GetDirectionOfProjection(forward.data());
    camera.SetPosition(focus[0] - forward[0] * distance, focus[1] - forward[1] * distance,
                       focus[2] - forward[2] * distance);
    if (parallel) {
        camera.SetParallelScale(half);
    }
}

double dot(const std::array<double, 3>& a, const std::array<double, 3>& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

std::array<double, 3> rightOf(const std::array<double, 3>& forward,
                              const std::array<double, 3>& up) {
    return {forward[1] * up[2] - forward[2] * up[1], forward[2] * up[0] - forward[0] * up[2],
            forward[0] * up[1] - forward[1] * up[0]};
}

/// A vector turned about a unit vector by degrees, counterclockwise when the axis points at the
/// viewer (Rodrigues).
std::array<double, 3> turned(const std::array<double, 3>& vector, const std::array<double, 3>& axis,
                             double degrees) {
    const double angle = degrees * std::numbers::pi / 180;
    const std::array<double, 3> across = rightOf(axis, vector);
    const double along = dot(axis, vector) * (1 - std::cos(angle));
    std::array<double, 3> result{};
    for (std::size_t i = 0; i < 3; ++i) {
        result[i] = vector[i] * std::cos(angle) + across[i] * std::sin(angle) + axis[i] * along;
    }
    return result;
}

/// World to display and back, with the camera as it is now.
class Projection {
  public:
    Projection(vtkCamera& camera, int width, int height) : m_width(width), m_height(height) {
        const double aspect = static_cast<double>(width) / height;
        m_matrix->DeepCopy(camera.GetCompositeProjectionTransformMatrix(aspect, -1, 1));
        vtkMatrix4x4::Invert(m_matrix, m_inverse);
    }

    [[nodiscard]] DisplayPoint display(const base::Point& world) const {
        const std::array<double, 4> clip = apply(*m_matrix, {world[0], world[1], world[2], 1});
        return {(clip[0] / clip[3] + 1) / 2 * m_width - 0.5,
                (1 - clip[1] / clip[3]) / 2 * m_height - 0.5};
    }
    /// The point of the near (-1) or the far (1) clipping plane under a pixel.
    [[nodiscard]] base::Point world(DisplayPoint display, double depth) const {
        const std::array<double, 4> point =
            apply(*m_inverse, {(display.x + 0.5) / m_width * 2 - 1,
                               1 - (display.y + 0.5) / m_height * 2, depth, 1});
        return {point[0] / point[3], point[1] / point[3], point[2] / point[3]};
    }

  private:
    static std::array<double, 4> apply(const vtkMatrix4x4& matrix,
                                       const std::array<double, 4>& point) {
        std::array<double, 4> result{};
        for (int row = 0; row < 4; ++row) {
            for (int column = 0; column < 4; ++column) {
                result[static_cast<std::size_t>(row)] +=
                    matrix.GetElement(row, column) * point[static_cast<std::size_t>(column)];
            }
        }
        return result;
    }

    double m_width;
    double m_height;
    vtkNew<vtkMatrix4x4> m_matrix;
    vtkNew<vtkMatrix4x4> m_inverse;
};

using Vector = std::array<double, 3>;

Vector towards(const Anatomy& anatomy, char letter) {
    const Anatomy::End end = anatomy.find(letter);
    Vector vector{0, 0, 0};
    vector[end.axis] = end.sign;
    return vector;
}

} // namespace

void VolumeCamera::setSize(int width, int height) {
    m_width = width;
    m_height = height;
}

void VolumeCamera::rotate(double dx, double dy) {
    // A drag across the smaller side of the view is half a turn.
    const double degrees = 180.0 / std::max(1, std::min(m_width, m_height));
    turn(dx * degrees, dy * degrees);
}

void VolumeCamera::turn(double right, double above) {
    vtkCamera& camera = m_camera;
    // As a turntable: about the vertical of the volume, so that its horizon never rolls.
    std::array<double, 3> eye{};
    std::array<double, 3> up{};
    std::array<double, 3> focus{};
    std::array<double, 3> forward{};
    camera.OrthogonalizeViewUp();
    camera.GetPosition(eye.data());
    camera.GetFocalPoint(focus.data());
    camera.GetViewUp(up.data());
    camera.GetDirectionOfProjection(forward.data());
    const std::array<double, 3> side = rightOf(forward, up);
    const double now =
        std::asin(std::clamp(-dot(forward, m_vertical), -1.0, 1.0)) * 180 / std::numbers::pi;
    const double next =
        std::clamp(now + above, std::min(now, -kSteepest), std::max(now, kSteepest));
    for (std::size_t axis = 0; axis < 3; ++axis) {
        eye[axis] -= focus[axis];
    }
    for (std::array<double, 3>* vector : {&eye, &up}) {
        *vector = turned(*vector, side, now - next);
        *vector = turned(*vector, m_vertical, -right);
    }
    camera.SetPosition(focus[0] + eye[0], focus[1] + eye[1], focus[2] + eye[2]);
    camera.SetViewUp(up.data());
    m_model.interactive = true;
}

void VolumeCamera::resetView() {
    vtkCamera& camera = m_camera;
    camera.SetViewAngle(kViewAngle);
    // From the front, turned a little to show the depth.
    lookFrom(Side::Front);
    camera.Azimuth(-28);
    camera.Elevation(24);
    camera.OrthogonalizeViewUp();
    fit();
}

void VolumeCamera::fit() {
    m_keepsFit = true;
    vtkCamera& camera = m_camera;
    std::array<double, 3> forward{};
    std::array<double, 3> up{};
    camera.OrthogonalizeViewUp();
    camera.GetDirectionOfProjection(forward.data());
    camera.GetViewUp(up.data());
    const std::array<double, 3> right = rightOf(forward, up);
    const double side = static_cast<double>(m_width) / m_height;
    base::Point low{};
    base::Point high{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto [first, last] = m_model.map.reach(m_model.extents, axis);
        low[axis] = first * m_model.aspect[axis];
        high[axis] = last * m_model.aspect[axis];
    }
    // Every corner of volume and map must come into the view.
    double half = 0;
    double distance = 1;
    for (int corner = 0; corner < 8; ++corner) {
        base::Point at{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double reach = (high[axis] - low[axis]) / 2;
            at[axis] = ((corner >> axis) & 1) != 0 ? reach : -reach;
        }
        const double needed =
            std::max(std::abs(dot(at, up)), std::abs(dot(at, right)) / side) * kFitMargin;
        half = std::max(half, needed);
        distance = std::max(distance, needed / tangent() - dot(at, forward));
    }
    std::array<double, 3> middle{};
    std::array<double, 3> position{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        middle[axis] = (low[axis] + high[axis]) / 2;
        position[axis] = middle[axis] - forward[axis];
    }
    camera.SetFocalPoint(middle.data());
    camera.SetPosition(position.data());
    showHalf(camera, parallel() ? half : distance * tangent(), m_model.size());
}

void VolumeCamera::setParallel(bool on) {
    vtkCamera& camera = m_camera;
    if (on == parallel()) {
        return;
    }
    // The middle of the volume keeps its size.
    const double half = shownHalf(camera);
    camera.SetParallelProjection(on ? 1 : 0);
    if (m_keepsFit) {
        fit();
    } else {
        showHalf(camera, half, m_model.size());
    }
}

void VolumeCamera::zoomAt(DisplayPoint anchor, double factor) {
    vtkCamera& camera = m_camera;
    const double size = m_model.size();
    m_keepsFit = false;
    // Neither lost in the distance nor inside a voxel.
    const double before = shownHalf(camera);
    const double after =
        std::clamp(before / factor, (size / 50 + 0.1) * tangent(), (size * 20 + 1) * tangent());
    showHalf(camera, after, size);
    const double real = before / after;
    const double dx = anchor.x + 0.5 - m_width / 2.0;
    const double dy = anchor.y + 0.5 - m_height / 2.0;
    pan(dx * (1 - real), dy * (1 - real));
}

void VolumeCamera::pan(double dx, double dy) {
    m_keepsFit = false;
    vtkCamera& camera = m_camera;
    const double unit = 2 * shownHalf(camera) / m_height;
    std::array<double, 3> up{};
    std::array<double, 3> forward{};
    camera.OrthogonalizeViewUp();
    camera.GetViewUp(up.data());
    camera.GetDirectionOfProjection(forward.data());
    const std::array<double, 3> right = rightOf(forward, up);
    std::array<double, 3> position{};
    std::array<double, 3> focus{};
    camera.GetPosition(position.data());
    camera.GetFocalPoint(focus.data());
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double shift = (-dx * right[axis] + dy * up[axis]) * unit;
        position[axis] += shift;
        focus[axis] += shift;
    }
    camera.SetPosition(position.data());
    camera.SetFocalPoint(focus.data());
    m_model.interactive = true;
}

void VolumeCamera::lookFrom(Side side) {
    struct Look {
        char letter; ///< of the patient's side
        char upLetter;
        Vector from; ///< where no patient is known
        Vector up;
    };
    constexpr std::array<Look, 6> kLooks{{{'A', 'S', {0, 0, -1}, {0, -1, 0}},
                                          {'P', 'S', {0, 0, 1}, {0, -1, 0}},
                                          {'L', 'S', {-1, 0, 0}, {0, -1, 0}},
                                          {'R', 'S', {1, 0, 0}, {0, -1, 0}},
                                          {'S', 'A', {0, -1, 0}, {0, 0, 1}},
                                          {'I', 'A', {0, 1, 0}, {0, 0, -1}}}};
    const Look& look = kLooks[static_cast<std::size_t>(side)];
    const bool patient = m_model.anatomy.known() && m_model.upright;
    const Vector from = patient ? towards(m_model.anatomy, look.letter) : look.from;
    const Vector up = patient ? towards(m_model.anatomy, look.upLetter) : look.up;
    m_vertical = patient ? towards(m_model.anatomy, 'S') : Vector{0, -1, 0};
    vtkCamera& camera = m_camera;
    camera.SetFocalPoint(0, 0, 0);
    camera.SetPosition(from.data());
    camera.SetViewUp(up.data());
    camera.OrthogonalizeViewUp();
    fit();
}

std::optional<base::Point> VolumeCamera::voxelAt(DisplayPoint display) const {
    if (!m_model.image) {
        return std::nullopt;
    }
    const auto [from, to] = rayAt(display);
    const auto inside = insideBox(from, to, m_model.corner(false), m_model.corner(true));
    if (!inside) {
        return std::nullopt;
    }
    const auto [enter, leave] = *inside;
    double hit = enter;
    if (m_model.slicesShown()) {
        double nearest = leave;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double plane = static_cast<double>(m_model.sliceAt(axis)) * m_model.aspect[axis];
            const double at = (plane - from[axis]) / (to[axis] - from[axis]);
            if (at >= enter && at < nearest) {
                nearest = at;
                hit = at;
            }
        }
    }
    base::Point voxel{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double last = static_cast<double>(byAxis(m_model.extents)[axis]) - 1;
        voxel[axis] = std::clamp(
            (from[axis] + (to[axis] - from[axis]) * hit) / m_model.aspect[axis], 0.0, last);
    }
    return voxel;
}

bool VolumeCamera::hiddenBySlice(const base::Point& voxel) const {
    if (!m_model.slicesShown()) {
        return false;
    }
    const base::Point target = m_model.world(voxel);
    const base::Point eye = eyeOf(target);
    const base::Point low = m_model.corner(false);
    const base::Point high = m_model.corner(true);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double plane = static_cast<double>(m_model.sliceAt(axis)) * m_model.aspect[axis];
        const double at = (plane - eye[axis]) / (target[axis] - eye[axis]);
        if (!(at > 0 && at < 1)) {
            continue;
        }
        bool inside = true;
        for (std::size_t other = 0; other < 3; ++other) {
            const double where = eye[other] + (target[other] - eye[other]) * at;
            inside = inside && (other == axis || (where > low[other] && where < high[other]));
        }
        if (inside) {
            return true;
        }
    }
    return false;
}

bool VolumeCamera::behindEye(const base::Point& voxel) const {
    vtkCamera& camera = m_camera;
    std::array<double, 3> forward{};
    camera.GetDirectionOfProjection(forward.data());
    const base::Point at = m_model.world(voxel);
    const base::Point eye = eyeOf(at);
    return dot({at[0] - eye[0], at[1] - eye[1], at[2] - eye[2]}, forward) <= 0;
}

VolumeCamera::Ray VolumeCamera::rayAt(DisplayPoint display) const {
    const Projection projection(m_camera, m_width, m_height);
    return {projection.world(display, -1), projection.world(display, 1)};
}

DisplayPoint VolumeCamera::displayOf(const base::Point& voxel) const {
    return Projection(m_camera, m_width, m_height).display(m_model.world(voxel));
}

base::Point VolumeCamera::eyeOf(const base::Point& at) const {
    vtkCamera& camera = m_camera;
    base::Point eye{};
    camera.GetPosition(eye.data());
    if (parallel()) {
        std::array<double, 3> forward{};
        camera.GetDirectionOfProjection(forward.data());
        for (std::size_t axis = 0; axis < 3; ++axis) {
            eye[axis] = at[axis] - forward[axis] * (kParallelDistance * m_model.size() + 1);
        }
    }
    return eye;
}

bool VolumeCamera::parallel() const { return m_camera.GetParallelProjection() != 0; }

} // namespace flcc::viz::detail
