#include "tests/bench/skimage_run.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace flcc::bench {

namespace {

constexpr const char* kPython = "/usr/bin/python3"; // the one that Debian's packages are for

std::streamsize bytesOf(const base::Image<float>& image) {
    return static_cast<std::streamsize>(base::byteCount(image.extents(), sizeof(float)));
}

void writeRaw(const std::filesystem::path& path, const base::Image<float>& image) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(image.data()), bytesOf(image));
    if (!file.flush()) {
        throw std::runtime_error(path.string() + " cannot be written");
    }
}

} // namespace

SkimageRun::Folder::Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "flcc-bench-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error(name + " cannot be made");
    }
    path = name;
}

SkimageRun::Folder::~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
}

SkimageRun::SkimageRun(const base::Image<float>& scene, const base::Image<float>& templ)
    : m_extents(base::validExtents(scene.extents(), templ.extents())) {
    writeRaw(m_folder.path / "scene", scene);
    writeRaw(m_folder.path / "template", templ);
    std::vector<std::string> arguments{kPython, FLCC_SKIMAGE_WORKER, m_folder.path.string()};
    for (const base::Extents& extents : {scene.extents(), templ.extents()}) {
        for (const std::int64_t length : {extents.x, extents.y, extents.z}) {
            arguments.push_back(std::to_string(length));
        }
    }
    start(arguments);
    const std::string ready = answer(); // "ready 0.19.3"
    m_version = ready.substr(std::min(ready.find(' ') + 1, ready.size()));
}

SkimageRun::~SkimageRun() {
    std::fclose(m_to); // the end of its input ends it
    std::fclose(m_from);
    ::waitpid(m_process, nullptr, 0);
}

void SkimageRun::start(const std::vector<std::string>& arguments) {
    std::vector<char*> words;
    for (const std::string& argument : arguments) {
        words.push_back(const_cast<char*>(argument.c_str())); // execv changes none
    }
    words.push_back(nullptr);
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) {
        throw std::runtime_error("no pipe to scikit-image");
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

std::string SkimageRun::answer() {
    std::array<char, 128> line{};
    if (std::fgets(line.data(), line.size(), m_from) == nullptr) {
        throw std::runtime_error("scikit-image's match_template gives no answer");
    }
    return line.data();
}

double SkimageRun::run(int threads) {
    std::fprintf(m_to, "%d\n", threads);
    std::fflush(m_to);
    return std::stod(answer());
}

base::Image<float> SkimageRun::map() const {
    base::Image<float> map(m_extents);
    std::ifstream file(m_folder.path / "map", std::ios::binary);
    if (!file.read(reinterpret_cast<char*>(map.data()), bytesOf(map))) {
        throw std::runtime_error("scikit-image's map is not as large as expected");
    }
    return map;
}

} // namespace flcc::bench
