#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/base/extents.h"
#include "engine/method/candidate.h"

namespace flcc::bench {

/// "512x512" for images, "64x64x64" for volumes.
[[nodiscard]] std::string sizeText(const base::Extents& extents);

/// `value` with so many digits after the point.
[[nodiscard]] std::string fixed(double value, int digits);

/// "tiled 320x128".
[[nodiscard]] std::string methodText(const method::Candidate& candidate);

/// How many times faster this program was, cell by cell of a table; of several ratios of one cell,
/// noise and picture, the least counts.
class Cells {
  public:
    void add(const std::string& cell, double ratio);
    /// "Geometric mean of the cells 12.3, least 8.1".
    [[nodiscard]] std::string summary() const;

  private:
    std::map<std::string, double> m_least;
};

/// `values` is not empty, all are above 0.
[[nodiscard]] double geometricMean(const std::vector<double>& values);

/// The middle value; `values` is not empty.
[[nodiscard]] double median(std::vector<double> values);

} // namespace flcc::bench
