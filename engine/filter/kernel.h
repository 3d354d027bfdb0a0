#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/geometry.h"
#include "engine/base/image.h"
#include "engine/base/pixels.h"
#include "engine/method/problem.h"

namespace flcc::filter {

/// The weights of a kernel along one axis, in the order of a convolution.
struct AxisFilter {
    enum class Kind {
        Taps,     ///< any weights
        Gaussian, ///< gaussianTaps(order, sigma), for which a recursive form exists
        Box       ///< all 1, for which running sums exist
    };
    Kind kind = Kind::Taps;
    std::vector<double> taps{1.0};
    int order = 0;    ///< of Gaussian
    double sigma = 0; ///< of Gaussian, in voxels
};

/// factor * ax(x) ay(y) az(z).
struct Term {
    double factor = 1;
    std::array<AxisFilter, 3> axes;
};

/// The weights of a convolution. The kernel is (sum of the terms) / divisor where it has terms, and
/// weights / divisor in any case.
class Kernel {
  public:
    /// A sum of separable terms of one extent. `divisor` divides every result.
    Kernel(std::string name, std::vector<Term> terms, double divisor);
    /// Weights of an image; terms() has one term if they are an outer product within 4 u of
    /// `precision`. **Errors**: Problem for a weight that is not finite and for weights that are
    /// all 0.
    Kernel(std::string name, const base::AnyView& weights, method::Precision precision);

    [[nodiscard]] const std::string& name() const { return m_name; }
    [[nodiscard]] const base::Extents& extents() const { return m_extents; }
    [[nodiscard]] double divisor() const { return m_divisor; }

    /// Separable terms; empty for a kernel that is not separable.
    [[nodiscard]] const std::vector<Term>& terms() const { return m_terms; }
    /// ||weights - term|| / ||weights|| (Frobenius) of the rank-one test; 0 for kernels by name.
    [[nodiscard]] double residual() const { return m_residual; }
    /// sum |weights - term| of a kernel that passed the test.
    [[nodiscard]] double residualSum() const { return m_residualSum; }

    /// True if weights() may be called: named kernels may have too many voxels.
    [[nodiscard]] bool hasWeights() const;
    /// The weights, flipped along every axis, so that a correlation with them is the convolution.
    [[nodiscard]] base::Image<double> flippedWeights() const;
    /// The same along one axis.
    [[nodiscard]] static std::vector<double> flipped(const std::vector<double>& taps);

    /// sum |weights| and its square norm; for a kernel by name bounds made of its terms.
    [[nodiscard]] double sumOfMagnitudes() const { return m_magnitudes; }
    [[nodiscard]] double norm() const { return m_norm; }
    /// All weights are integers: sums with integer scenes are exact while they fit.
    [[nodiscard]] bool hasIntegerWeights() const { return m_integers; }

    /// Voxels beyond which a kernel by name has no weights().
    static constexpr std::int64_t kMostWeights = std::int64_t{1} << 24;

  private:
    std::string m_name;
    base::Extents m_extents{1, 1, 1};
    double m_divisor = 1;
    std::vector<Term> m_terms;
    base::Image<double> m_weights; ///< of a kernel that is an image
    double m_residual = 0;
    double m_residualSum = 0;
    double m_magnitudes = 0;
    double m_norm = 0;
    bool m_integers = false;
};

/// True if `text` is written as the name of a kernel, known or not, rather than as a file.
[[nodiscard]] bool isKernelName(std::string_view text);

/// The kernel that `text` names: gaussian:S, gaussian-x:S and the other first and second
/// derivatives (-y, -z, -xx, -yy, -zz, -xy, -xz, -yz), log:S, dog:S1:S2, box:N, sobel:x (y, z). S
/// and N are one value for all axes or one an axis ("2,2,1"), in voxels or in one unit, which
/// stands behind the last size ("2um", "2,3um", "dog:1:2um"). The weights are those of
/// gaussianTaps() to 6 sigma; box is a mean; sobel is 1 2 1 across and the difference of both
/// neighbours along its axis.
///
/// **Errors**: CommandLine for an unknown name, a missing value, a sigma that is not above 0, an N
/// that is not a whole number from 1, sizes in several units; Problem for an axis that the scene
/// does not have and for a unit that the scene's spacing does not have.
[[nodiscard]] Kernel kernelByName(std::string_view text, const base::Extents& scene,
                                  const base::Geometry& geometry);

/// The forms of kernelByName(), for help and messages.
[[nodiscard]] std::string_view kernelNames();

/// A value in the name of a kernel.
struct KernelParameter {
    enum class Kind {
        Length, ///< above 0; one for all axes or one an axis; in voxels or with a unit
        Count,  ///< likewise; a whole number from 1 where it has no unit
        Axis    ///< x, y or z
    };
    std::string title; ///< "Sigma"
    Kind kind = Kind::Length;
    double usual = 1; ///< a value to begin with, in voxels
};

/// A kernel that kernelByName() knows: its name is followed by its values, each after a colon.
struct KernelForm {
    std::string name;  ///< "gaussian-xy"
    std::string title; ///< "Gaussian, second derivative along x and y"
    std::vector<KernelParameter> parameters;
    std::size_t axes = 2; ///< 3: only for volumes
};
/// All of them.
[[nodiscard]] const std::vector<KernelForm>& kernelForms();

/// The values in the name of a kernel, as a form shows them.
struct KernelValues {
    std::size_t form = 0;  ///< in kernelForms()
    bool inLength = false; ///< the sizes were written with a unit of length
    /// One entry for each parameter of the form: sizes along x, y, z in voxels, or for Kind::Axis
    /// the number of the axis in all three.
    std::vector<std::array<double, 3>> values;
};
/// **Errors**: as kernelByName().
[[nodiscard]] KernelValues kernelValues(std::string_view text, const base::Extents& scene,
                                        const base::Geometry& geometry);

/// True if sizes of a kernel for a scene of this geometry may be in its unit of length.
[[nodiscard]] bool hasLength(const base::Geometry& geometry);

} // namespace flcc::filter
