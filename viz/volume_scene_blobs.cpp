#include <cmath>
#include <numbers>
#include <utility>

#include "viz/detail/volume_state.h"

namespace flcc::viz {

void VolumeScene::State::addBlobs(const ViewColours& look) {
    constexpr int kSides = 24;
    for (std::size_t i = 0; i < blobs.size(); ++i) {
        const BlobMark& blob = blobs[i];
        const bool selected = selectedBlob == i;
        detail::BoxLines& lines = selected ? selectedLines : blobLines;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto at = [&](int side) {
                const double angle = 2 * std::numbers::pi * side / kSides;
                base::Point point = blob.centre;
                point[(axis + 1) % 3] += blob.radius * std::cos(angle);
                point[(axis + 2) % 3] += blob.radius * std::sin(angle);
                return world(point);
            };
            for (int side = 0; side < kSides; ++side) {
                lines.line(at(side), at(side + 1), selected ? look.accent : kBlobColour);
            }
        }
    }
}

void VolumeScene::setBlobs(std::vector<BlobMark> blobs, std::optional<std::size_t> selected) {
    m_state->blobs = std::move(blobs);
    m_state->selectedBlob = selected;
    m_state->linesStale = true;
    changed();
}

} // namespace flcc::viz
