#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/base/pixels.h"
#include "engine/method/match_map.h"
#include "viz/picture.h"

namespace flcc::test {

/// An 8-bit image whose voxels are given by a formula.
std::shared_ptr<const base::AnyImage> imageOf(const base::Extents& extents,
                                              const std::function<int(const base::Index&)>& value);

/// A map whose scores are given by a formula; empty = FLAT.
std::shared_ptr<method::MatchMap>
mapOf(const base::Extents& extents,
      const std::function<std::optional<double>(const base::Index&)>& score);

/// The largest difference of a channel.
int distance(const match::Colour& a, const match::Colour& b);

/// Pixels of a picture that are within `tolerance` of `colour`: how many, their mean position and
/// the rectangle around them.
struct Found {
    int count = 0;
    double x = 0;
    double y = 0;
    int left = 0;
    int top = 0;
    int right = 0; ///< last one
    int bottom = 0;
};
Found find(const viz::Picture& picture, const match::Colour& colour, int tolerance = 5);

/// Pixels that differ between two pictures of the same size.
int differences(const viz::Picture& a, const viz::Picture& b, int tolerance = 5);

/// Writes the picture to the folder that FLCC_TEST_PICTURES names, if it is set, for looking at.
void keep(const viz::Picture& picture, const std::string& name);

} // namespace flcc::test
