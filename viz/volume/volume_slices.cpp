#include "viz/volume/volume_slices.h"

#include <vector>

namespace flcc::viz::detail {

void VolumeSlices::update() {
    const bool shown = m_model.slicesShown();
    for (SliceQuad& slice : m_quads) {
        slice.setVisible(shown);
    }
    const bool moved =
        shown && m_drawn != std::array{m_model.sliceAt(0), m_model.sliceAt(1), m_model.sliceAt(2)};
    if (!shown || !(m_model.slicesStale || moved)) {
        return;
    }
    const base::AnyView pixels = base::viewOf(*m_model.image);
    std::vector<base::Box> shaded;
    if (m_model.boxShaded()) {
        shaded.push_back(*m_model.box);
    }
    if (const auto peak = m_model.shadedPeak()) {
        shaded.push_back(*peak);
    }
    for (SliceQuad& slice : m_quads) {
        const std::size_t depth = slice.axes().depth;
        if (!m_model.slicesStale && m_drawn[depth] == m_model.sliceAt(depth)) {
            continue;
        }
        m_drawn[depth] = m_model.sliceAt(depth);
        slice.update({pixels, m_model.window,
                      m_model.map.exists() && m_model.mapVisible ? &m_model.map : nullptr,
                      m_model.scale, m_model.colours, m_model.mapOpacity, m_model.aspect,
                      m_model.sceneSupportShown() ? m_model.sceneSupport.get() : nullptr,
                      m_model.templSupport.get(), shaded,
                      m_model.sliceStyle == SliceStyle::Transparent},
                     m_model.sliceAt(depth));
    }
    m_model.slicesStale = false;
}

} // namespace flcc::viz::detail
