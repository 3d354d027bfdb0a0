#pragma once

#include "ui/window/parts/parts.h"

namespace flcc::ui {

/// Makes the thumbnails of the samples on the start page.
class SampleThumbnails {
  public:
    explicit SampleThumbnails(const Parts& parts) : m_parts(parts) {}

    /// Makes them on the background thread, unless they are there, a scene is open or other work is
    /// under way.
    void request();

  private:
    const Parts& m_parts;
    bool m_done = false;
};

} // namespace flcc::ui
