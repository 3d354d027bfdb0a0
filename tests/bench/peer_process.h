#pragma once

#include <sys/types.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/image.h"
#include "engine/base/pixels.h"

namespace flcc::bench {

/// Another program on one problem, in a process of its own that waits between calls: importing and
/// reading files are outside of the time. *_worker.py say what they are told and answer.
class PeerProcess {
  public:
    /// scikit-image's match_template; only its transforms run on several threads. Both float32.
    /// **Errors**: std::runtime_error when Debian's python3-skimage does not answer.
    [[nodiscard]] static PeerProcess skimage(const base::Image<float>& scene,
                                             const base::Image<float>& templ);
    /// Intel IPP's ippiCrossCorrNorm. `python` has the packages ipp and numpy of PyPI. uint8 stays,
    /// other types become float32. **Errors**: std::runtime_error when it does not answer.
    [[nodiscard]] static PeerProcess ipp(const std::string& python, const base::AnyImage& scene,
                                         const base::AnyImage& templ);
    ~PeerProcess();
    PeerProcess(const PeerProcess&) = delete;
    PeerProcess& operator=(const PeerProcess&) = delete;

    /// One call with so many threads; milliseconds.
    double run(int threads);

    /// Of the other program.
    [[nodiscard]] const std::string& version() const { return m_version; }

    /// What the first call found.
    [[nodiscard]] base::Image<float> map() const;

  private:
    /// `begin`: the program and its first arguments, before folder, `type` and extents.
    PeerProcess(std::string name, std::vector<std::string> begin, const std::string& type,
                const base::AnyView& scene, const base::AnyView& templ);
    void start(const std::vector<std::string>& arguments);
    std::string answer();

    std::string m_name; ///< for errors
    std::string m_version;
    base::Extents m_extents;
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
