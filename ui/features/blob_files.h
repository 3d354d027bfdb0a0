#pragma once

#include <QString>

#include <vector>

#include "engine/io/protected_files.h"
#include "engine/job/features.h"
#include "ui/document/document.h"

namespace flcc::ui {

/// Writes `blobs` of a result as the list that the suffix of `file` names. **Errors**: those of
/// writing, and if `file` is one of `inputs`.
void saveBlobList(const job::FeaturesResult& result, const std::vector<features::Blob>& blobs,
                  const base::Geometry& geometry, const QString& file,
                  const io::ProtectedFiles& inputs);

} // namespace flcc::ui
