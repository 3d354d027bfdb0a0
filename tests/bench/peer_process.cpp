#include "tests/bench/peer_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "tests/bench/contestants.h"

namespace flcc::bench {

namespace {

constexpr const char* kPython = "/usr/bin/python3"; // the one that Debian's packages are for

/// Writes the rows of an image, one after the other.
void writeRaw(const std::filesystem::path& path, const base::AnyView& image) {
    std::ofstream file(path, std::ios::binary);
    std::visit(
        [&](const auto& view) {
            const base::Extents& n = view.extents();
            const auto bytes = n.x * static_cast<std::int64_t>(sizeof(view.at(0, 0, 0)));
            for (std::int64_t row = 0; row < n.y * n.z; ++row) {
                file.write(reinterpret_cast<const char*>(view.row(row % n.y, row / n.y)), bytes);
            }
        },
        image);
    if (!file.flush()) {
        throw std::runtime_error(path.string() + " cannot be written");
    }
}

} // namespace

PeerProcess::Folder::Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "flcc-bench-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error(name + " cannot be made");
    }
    path = name;
}

PeerProcess::Folder::~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
}

PeerProcess::PeerProcess(std::string name, std::vector<std::string> begin, const std::string& type,
                         const base::AnyView& scene, const base::AnyView& templ)
    : m_name(std::move(name)),
      m_extents(base::validExtents(base::extentsOf(scene), base::extentsOf(templ))) {
    writeRaw(m_folder.path / "scene", scene);
    writeRaw(m_folder.path / "template", templ);
    begin.push_back(m_folder.path.string());
    begin.push_back(type);
    for (const base::Extents& extents : {base::extentsOf(scene), base::extentsOf(templ)}) {
        for (const std::int64_t length : {extents.x, extents.y, extents.z}) {
            begin.push_back(std::to_string(length));
        }
    }
    start(begin);
    std::istringstream ready(answer()); // "ready 0.19.3"
    std::string word;
    ready >> word >> m_version;
}

PeerProcess PeerProcess::skimage(const base::Image<float>& scene, const base::Image<float>& templ) {
    return PeerProcess("scikit-image's match_template", {kPython, FLCC_SKIMAGE_WORKER}, "float32",
                       scene.view(), templ.view());
}

PeerProcess PeerProcess::ipp(const std::string& python, const base::AnyImage& scene,
                             const base::AnyImage& templ) {
    const std::vector<std::string> begin{python, FLCC_IPP_WORKER};
    if (base::pixelType(scene) == base::PixelType::UInt8) {
        return PeerProcess("Intel IPP", begin, "uint8", base::viewOf(scene), base::viewOf(templ));
    }
    return PeerProcess("Intel IPP", begin, "float32", toFloat(scene).view(), toFloat(templ).view());
}

PeerProcess::~PeerProcess() {
    std::fclose(m_to); // the end of its input ends it
    std::fclose(m_from);
    ::waitpid(m_process, nullptr, 0);
}

void PeerProcess::start(const std::vector<std::string>& arguments) {
    std::vector<char*> words;
    for (const std::string& argument : arguments) {
        words.push_back(const_cast<char*>(argument.c_str())); // execv changes none
    }
    words.push_back(nullptr);
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) {
        throw std::runtime_error("no pipe to " + m_name);
    }
    m_process = ::fork();
    if (m_process == 0) {
        ::dup2(in[0], STDIN_FILENO);
        ::dup2(out[1], STDOUT_FILENO);
        ::execv(words.front(), words.data());
        ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    m_to = ::fdopen(in[1], "w");
    m_from = ::fdopen(out[0], "r");
}

std::string PeerProcess::answer() {
    std::array<char, 128> line{};
    if (std::fgets(line.data(), line.size(), m_from) == nullptr) {
        throw std::runtime_error(m_name + " gives no answer");
    }
    return line.data();
}

double PeerProcess::run(int threads) {
    std::fprintf(m_to, "%d\n", threads);
    std::fflush(m_to);
    return std::stod(answer());
}

base::Image<float> PeerProcess::map() const {
    base::Image<float> map(m_extents);
    std::ifstream file(m_folder.path / "map", std::ios::binary);
    if (!file.read(reinterpret_cast<char*>(map.data()),
                   static_cast<std::streamsize>(base::byteCount(map.extents(), sizeof(float))))) {
        throw std::runtime_error("the map of " + m_name + " is not as large as expected");
    }
    return map;
}

} // namespace flcc::bench
