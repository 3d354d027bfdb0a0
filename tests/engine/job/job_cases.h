#pragma once

#include <QString>
#include <QTemporaryDir>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/job/job.h"

namespace flcc::test {

/// Images for a job, made in memory.
[[nodiscard]] job::JobImages imagesOf(base::AnyImage scene, base::AnyImage templ,
                                      const base::Geometry& geometry = {});

/// A folder that goes with the test, and the names in it.
class Folder {
  public:
    [[nodiscard]] std::filesystem::path path(const std::string& name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }
    /// Sorted.
    [[nodiscard]] std::vector<std::string> names() const;

  private:
    QTemporaryDir m_folder;
};

/// The match of such arguments.
[[nodiscard]] job::Job matchOf(const std::vector<std::string>& arguments);

[[nodiscard]] std::string bytesOf(const std::filesystem::path& file);

/// A job with all kinds of outputs in `folder`.
[[nodiscard]] job::Job withOutputs(job::Job job, const Folder& folder);

/// The code and sentence of the Error that `run` throws; code Internal and "" when none.
struct Thrown {
    base::ErrorCode code = base::ErrorCode::Internal;
    std::string sentence;
};
[[nodiscard]] Thrown thrownBy(const std::function<void()>& run);

} // namespace flcc::test
