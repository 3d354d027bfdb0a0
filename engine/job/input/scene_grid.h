#pragma once

#include <memory>
#include <stop_token>

#include "engine/job/input/inputs.h"

namespace flcc::job::detail {

/// Brings a template to the axes of the scene, and with Job::resample to its grid: directions that
/// differ by a permutation and flips are turned, with a note; oblique ones are resampled or
/// refused; of spacings that differ a warning tells, or they are resampled. Images that state no
/// directions (SceneImage::directed), and all with Job::ignoreDirections, keep their axes. Sets
/// TemplateInput::image and `change`. **Errors**: Problem.
void bringToScene(Inputs& inputs, TemplateInput& templ, const Job& job,
                  const std::stop_token& stop);

/// The mask of a template brought there as well: by its own directions where it states some, else
/// as its template. For masks that were read or drawn, not for those made of the template.
[[nodiscard]] std::shared_ptr<const MaskImage>
bringToTemplate(const Inputs& inputs, const TemplateInput& templ,
                std::shared_ptr<const MaskImage> mask, const Job& job, const std::stop_token& stop);

/// That mask before it was resampled with its template; null where none was.
[[nodiscard]] std::shared_ptr<const MaskImage>
beforeResampling(const Inputs& inputs, const TemplateInput& templ,
                 const std::shared_ptr<const MaskImage>& mask, const Job& job);

/// The mask of a template without what an oblique template leaves empty in its box.
[[nodiscard]] std::shared_ptr<const MaskImage>
insideOf(const TemplateInput& templ, const std::shared_ptr<const MaskImage>& mask);

/// The same for a mask of the scene; a mask that lies elsewhere is resampled in space, or a warning
/// tells of it.
[[nodiscard]] std::shared_ptr<const MaskImage> bringToScene(Inputs& inputs,
                                                            std::shared_ptr<const MaskImage> mask,
                                                            const Job& job,
                                                            const std::stop_token& stop);

/// Throws for a template without a placement in the searched part. **Errors**: Problem.
void requireRoom(const Inputs& inputs, const base::Extents& templ);

} // namespace flcc::job::detail
