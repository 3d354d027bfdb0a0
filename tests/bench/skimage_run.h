#pragma once

#include <sys/types.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/image.h"

namespace flcc::bench {

/// scikit-image's match_template on one problem, in a process of its own that waits between calls:
/// importing and reading files are outside of the time.
class SkimageRun {
  public:
    /// Both float32. **Errors**: std::runtime_error when Debian's python3-skimage does not answer.
    SkimageRun(const base::Image<float>& scene, const base::Image<float>& templ);
    ~SkimageRun();
    SkimageRun(const SkimageRun&) = delete;
    SkimageRun& operator=(const SkimageRun&) = delete;

    /// One call with so many threads in the transforms, which are all it can share out;
    /// milliseconds.
    double run(int threads);

    /// Of scikit-image.
    [[nodiscard]] const std::string& version() const { return m_version; }

    /// What the first call found.
    [[nodiscard]] base::Image<float> map() const;

  private:
    void start(const std::vector<std::string>& arguments);
    std::string answer();

    base::Extents m_extents;
    std::string m_version;
    /// A folder for what is handed over, gone with this.
    struct Folder {
        std::filesystem::path path;
        Folder();
        ~Folder();
        Folder(const Folder&) = delete;
        Folder& operator=(const Folder&) = delete;
    } m_folder;
    pid_t m_process = -1;
    std::FILE* m_to = nullptr;
    std::FILE* m_from = nullptr;
};

} // namespace flcc::bench
