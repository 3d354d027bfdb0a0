#include "tests/architecture/source_rules.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <regex>

namespace flcc::architecture {

namespace {

using Names = std::vector<std::string_view>;

bool startsWithAny(std::string_view text, const Names& prefixes) {
    return std::ranges::any_of(prefixes,
                               [&](std::string_view prefix) { return text.starts_with(prefix); });
}

std::string fault(std::string_view path, int line, const std::string& sentence) {
    return std::string(path) + ":" + std::to_string(line) + ": " + sentence;
}

/// The folders of `path`, its file name last.
Names partsOf(std::string_view path) {
    Names parts;
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        parts.push_back(path.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

std::vector<std::string_view> linesOf(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

// --- Layers and rooms -------------------------------------------------------------------------

/// From the bottom up; a layer may include itself and what stands before it.
const Names kLayers{"engine", "viz", "ui", "app"};

/// In the order in which they may include each other.
const Names kRooms{"base",    "rotation", "method", "reference", "cpu",    "filter",
                   "prepare", "cuda",     "plan",   "match",     "search", "features",
                   "sample",  "selftest", "io",     "job",       "library"};

/// Rooms that not all files above them may include, and who may. The first three and the last have
/// no public headers; `viz` draws what is in memory and opens no file.
struct PrivateRoom {
    std::string_view room;
    Names users;
};
const std::vector<PrivateRoom> kPrivateRooms{
    {"reference",
     {"engine/reference/", "engine/plan/", "engine/selftest/", "engine/job/", "tests/"}},
    {"cpu",
     {"engine/cpu/", "engine/filter/", "engine/plan/", "engine/prepare/", "engine/search/",
      "tests/"}},
    {"cuda", {"engine/cuda/", "engine/plan/", "tests/"}},
    {"sample", {"engine/sample/", "engine/job/", "app/", "ui/", "tests/"}},
    {"io", {"engine/io/", "engine/job/", "app/", "ui/", "tests/"}},
    {"library", {"engine/library/", "tests/"}},
};

/// Rooms whose files lie in rooms of their own, in the order in which these may include each other.
/// What lies beside them includes all, and they may include its headers. If `closed`, nothing
/// outside of the room sees them.
struct InnerRooms {
    std::string_view room; ///< its folder
    Names inner;
    bool closed = false;
};
const std::vector<InnerRooms> kInnerRooms{
    {"engine/cpu/", {"common", "simd", "transform", "tile", "score", "operation", "methods"}},
    {"engine/cuda/", {"kernels", "plugin", "run", "methods"}},
    {"engine/io/",
     {"files", "format", "lists", "tilts", "volume", "raster", "rare", "process", "reader"},
     true},
    {"engine/job/",
     {"report", "options", "input", "stream", "output", "steps", "match", "convolve", "features",
      "kinds", "bench", "kept", "project", "batch"},
     true},
    {"ui/",
     {"base", "forms", "document", "work", "bridge", "views", "plan", "open", "match", "results",
      "judge", "compare", "filter", "features", "batch", "help", "project", "window"}},
    {"ui/match/", {"fields", "images", "flow"}},
    {"ui/window/", {"parts", "menus"}},
    {"viz/", {"pixels", "labels", "slice", "surface", "volume"}, true},
};

std::ptrdiff_t rank(const Names& order, std::string_view name) {
    const auto found = std::ranges::find(order, name);
    return found == order.end() ? -1 : found - order.begin();
}

/// The inner room that a path below the folder of `room` lies in; empty for a file beside them.
std::string_view innerRoomOf(std::string_view path, const InnerRooms& room) {
    const std::string_view rest = path.substr(room.room.size());
    const std::size_t end = rest.find('/');
    return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

/// Why a file may not include `name` of an inner room; empty when it may.
std::string innerFault(std::string_view path, std::string_view name) {
    for (const InnerRooms& room : kInnerRooms) {
        const std::string_view to = name.starts_with(room.room) ? innerRoomOf(name, room) : "";
        if (to.empty()) {
            continue;
        }
        if (!path.starts_with(room.room)) {
            if (room.closed) {
                return std::string(name) + " lies in an inner room of " + std::string(room.room);
            }
            continue;
        }
        const std::string_view from = innerRoomOf(path, room);
        if (!from.empty() && rank(room.inner, to) > rank(room.inner, from)) {
            return "room " + std::string(from) + " of " + std::string(room.room) + " includes " +
                   std::string(name) + " of a later one";
        }
    }
    return {};
}

/// Why a file of this project may not include `name` of this project; empty when it may.
std::string projectFault(std::string_view path, std::string_view name) {
    const Names from = partsOf(path);
    const Names to = partsOf(name);
    if (to.size() < 2) {
        return "\"" + std::string(name) + "\" is not a path from the project's top folder";
    }
    if (from.front() == "tests") {
        return {}; // tests see everything
    }
    const std::ptrdiff_t fromLayer = rank(kLayers, from.front());
    const std::ptrdiff_t toLayer = rank(kLayers, to.front());
    if (toLayer < 0) {
        return "\"" + std::string(name) + "\" is in no layer that code may include";
    }
    if (toLayer > fromLayer) {
        return std::string(from.front()) + " includes " + std::string(name) +
               ": the arrow points up";
    }
    if (std::string sentence = innerFault(path, name); !sentence.empty()) {
        return sentence;
    }
    if (to.front() != "engine") {
        return {};
    }
    if (std::ranges::find(to, "detail") != to.end() &&
        !(from.front() == "engine" && from[1] == to[1])) {
        return std::string(name) + " is a detail of its room";
    }
    for (const PrivateRoom& room : kPrivateRooms) {
        if (to[1] == room.room && !startsWithAny(path, room.users)) {
            return std::string(name) + " belongs to a room that this file may not include";
        }
    }
    if (from.front() == "engine" && rank(kRooms, to[1]) > rank(kRooms, from[1])) {
        return "room " + std::string(from[1]) + " includes " + std::string(name) +
               " of a later room";
    }
    if ((from.front() != "engine" || isPublicHeader(path)) && !isPublicHeader(name)) {
        return std::string(name) + " is not a public header";
    }
    return {};
}

// --- Third-party headers ----------------------------------------------------------------------

bool isStandard(std::string_view name) {
    return !name.empty() && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
}

/// Libraries, how their headers begin, and where they may be included: paths that begin so. A place
/// that ends in ".cpp" allows sources below it only ("engine/*.cpp").
struct Library {
    std::string_view name;
    std::string pattern;
    Names places;
};

const std::vector<Library>& libraries() {
    static const std::vector<Library> table{
        {"Qt", "^(Q[A-Z]|Qt[A-Z]).*", {"ui/", "app/desktop", "tests/"}},
        {"VTK", "^vtk.*", {"viz/", "ui/bridge/", "tests/viz/", "tests/ui/", "tests/support/"}},
        {"OpenGL",
         "^(GL|EGL|GLES[23]|KHR)/.*",
         {"viz/", "ui/bridge/", "tests/viz/", "tests/ui/", "tests/support/"}},
        {"GDCM", "^gdcm.*", {"engine/io/reader/"}},
        {"CFITSIO", "^fitsio\\.h$", {"engine/io/reader/fits.cpp"}},
        {"OpenSlide", "^openslide\\.h$", {"engine/io/reader/slide.cpp"}},
        {"ITK", "^itk.*", {"engine/io/reader/itk_image.cpp", "engine/io/reader/itk_slices.cpp"}},
        {"giflib, libnetpbm, libwebp, LZF, OpenJPEG",
         "^(gif_lib\\.h|netpbm/.*|webp/.*|lzf\\.h|openjpeg\\.h)$",
         {"engine/io/reader/*.cpp", "tests/engine/io/"}},
        {"cairo", "^cairo.*", {"engine/io/drawing_cairo.cpp"}},
        {"HDF5",
         "^hdf5\\.h$",
         {"engine/io/reader/", "tests/engine/io/", "tests/fuzz/", "tests/ui/"}},
        {"FFTW", "^fftw3.*", {"engine/cpu/", "tests/bench/", "tests/support/fftw_lines.h"}},
        {"Highway",
         "^hwy/.*",
         {"engine/cpu/", "engine/filter/*.cpp", "engine/method/*.cpp", "tests/engine/cpu/",
          "tests/bench/"}},
        {"spdlog", "^spdlog/.*", {"engine/base/log.cpp"}},
        {"fmt", "^fmt/.*", {"engine/*.cpp", "app/*.cpp", "tests/"}},
        {"nlohmann-json",
         "^nlohmann/.*",
         {"engine/*.cpp", "engine/io/lists/json_text.h", "engine/job/report/json_rows.h",
          "engine/job/project/fields.h", "ui/*.cpp", "app/*.cpp", "tests/"}},
        {"OpenSSL", "^openssl/.*", {"engine/io/digest.cpp"}},
        {"pugixml",
         "^pugixml\\.hpp$",
         {"engine/io/raster/ome.cpp", "engine/io/tilts/warp_xml.cpp"}},
        {"libjpeg, libpng, libtiff, zlib",
         "^(png|tiff|tiffio|zlib|jpeglib|jerror)\\.h$",
         {"engine/io/*.cpp", "tests/engine/io/", "tests/fuzz/"}},
        {"C", "^std(def|int)\\.h$", {"engine/library/flcc.h"}},
        {"CUDA", "^(cuda|cufft|cub/|thrust/).*", {"engine/cuda/"}},
        {"GMP", "^gmp.*", {"tests/"}},
        {"OpenCV", "^opencv2/.*", {"tests/bench/"}},
        {"POSIX",
         "^((sys|linux|netinet)/.*|unistd\\.h|fcntl\\.h|signal\\.h|poll\\.h|dlfcn\\.h|sched\\.h|"
         "pthread\\.h|x86intrin\\.h|cpuid\\.h|stdio\\.h|stdlib\\.h|string\\.h|errno\\.h|locale\\.h|"
         "malloc\\.h|dirent\\.h|cxxabi\\.h)"
         "$",
         {"engine/", "app/", "tests/"}},
    };
    return table;
}

bool isPlace(std::string_view path, std::string_view place) {
    const std::size_t star = place.find('*');
    if (star == std::string_view::npos) {
        return path.starts_with(place);
    }
    return path.starts_with(place.substr(0, star)) && path.ends_with(place.substr(star + 1));
}

/// Why a file may not include the foreign header `name`; empty when it may.
std::string foreignFault(std::string_view path, const std::string& name) {
    if (isPublicHeader(path)) {
        return "public header shows the third-party header <" + name + ">";
    }
    for (const Library& library : libraries()) {
        if (std::regex_match(name, std::regex(library.pattern))) {
            const bool allowed = std::ranges::any_of(
                library.places, [&](std::string_view place) { return isPlace(path, place); });
            return allowed ? std::string()
                           : "<" + name + "> of " + std::string(library.name) +
                                 " has no place in this file";
        }
    }
    return "<" + name + "> is of a library that the project does not use";
}

/// Headers with which threads are started, and where that is allowed above the engine.
std::string threadFault(std::string_view path, std::string_view name) {
    static const Names kStarters{"thread", "future", "QThread", "QThreadPool", "QtConcurrent"};
    const bool window = path.starts_with("ui/") || path.starts_with("viz/");
    if (!window || path.starts_with("ui/work/run_controller") ||
        path.starts_with("ui/views/display_copies") || path.starts_with("ui/base/latest_work") ||
        std::ranges::find(kStarters, partsOf(name).front()) == kStarters.end()) {
        return {};
    }
    return "<" + std::string(name) +
           ">: only RunController, DisplayCopies and LatestWork start threads";
}

bool isSource(std::string_view path) {
    return path.ends_with(".h") || path.ends_with(".cpp") || path.ends_with(".cu") ||
           path.ends_with(".cuh");
}

} // namespace

std::vector<Include> includesOf(std::string_view text) {
    static const std::regex kInclude(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
    std::vector<Include> includes;
    bool inComment = false;
    int number = 0;
    for (const std::string_view line : linesOf(text)) {
        ++number;
        std::cmatch match;
        if (!inComment && std::regex_search(line.begin(), line.end(), match, kInclude)) {
            includes.push_back({number, match[2].str(), match[1].str() == "<"});
        }
        // Only comments that span lines can hide an include; a line comment does not match.
        const std::size_t open = line.rfind("/*");
        const std::size_t close = line.rfind("*/");
        if (inComment) {
            inComment =
                close == std::string_view::npos || (open != std::string_view::npos && open > close);
        } else if (open != std::string_view::npos) {
            inComment = close == std::string_view::npos || close < open;
        }
    }
    return includes;
}

std::vector<std::string> classesDefinedIn(std::string_view text) {
    // The formatter puts each definition of a namespace at the start of a line.
    static const std::regex kName(R"(((?:[A-Z]\w*::)+)~?(?:\w+|operator[^\s(]+)\()");
    static const std::regex kNamespace(R"(^namespace ([\w:]+) \{)");
    std::vector<std::string> classes;
    std::string space;
    for (const std::string_view line : linesOf(text)) {
        std::cmatch match;
        if (std::regex_search(line.begin(), line.end(), match, kNamespace)) {
            space = match[1].str() + "::";
        }
        if (line.empty() || std::string_view(" }#/").find(line.front()) != std::string_view::npos ||
            !std::regex_search(line.begin(), line.end(), match, kName)) {
            continue;
        }
        // A body or a list of initialisers follows the parentheses, perhaps after other words.
        const char* at = match[0].second;
        const char* const end = text.data() + text.size();
        for (int open = 1; open > 0 && at != end; ++at) {
            open += *at == '(' ? 1 : *at == ')' ? -1 : 0;
        }
        const char* const body = std::find_if(
            at, end, [](char c) { return c == '{' || c == ';' || c == ':' || c == '='; });
        if (body != end && *body != ';') {
            std::string name = match[1].str();
            classes.push_back(space + name.substr(0, name.size() - 2));
        }
    }
    std::ranges::sort(classes);
    classes.erase(std::ranges::unique(classes).begin(), classes.end());
    return classes;
}

bool isPublicHeader(std::string_view path) {
    static const Names kPublicRooms{"base",  "rotation", "method", "filter",   "prepare", "plan",
                                    "match", "features", "sample", "selftest", "io",      "job"};
    const Names parts = partsOf(path);
    return parts.size() == 3 && parts[0] == "engine" && rank(kPublicRooms, parts[1]) >= 0 &&
           path.ends_with(".h");
}

std::vector<std::string> includeFaults(std::string_view path, std::string_view text) {
    std::vector<std::string> faults;
    const auto add = [&](const Include& include, const std::string& sentence) {
        if (!sentence.empty()) {
            faults.push_back(fault(path, include.line, sentence));
        }
    };
    for (const Include& include : includesOf(text)) {
        if (include.angle) {
            add(include, threadFault(path, include.name));
            if (!isStandard(include.name)) {
                add(include, foreignFault(path, include.name));
            }
        } else if (!include.name.ends_with(".moc")) {
            add(include, projectFault(path, include.name));
        }
    }
    return faults;
}

std::vector<std::string> sourceFaults(std::string_view path, std::string_view text) {
    constexpr std::size_t kMostLines = 600;
    static const std::regex kDefine(R"(^\s*#\s*define\s+(\w+))");
    // What libraries ask for: switches of Highway, EGL and the C library, and the guard of what a
    // source that Highway includes once an instruction set defines once.
    static const std::regex kAllowedMacro(R"(HWY_\w+|FLCC_\w+_ONCE|EGL_\w+|_\w+)");
    // What marks functions for devices, defined in one header alone: no other way of the language
    // tells their compiler.
    const bool marksFunctions = path == "engine/base/host_device.h";
    // What names the members of a struct once, for writing and reading: the language cannot list
    // them.
    const bool namesMembers = path == "engine/job/project/fields.h";
    static const std::regex kSampleName(R"rx("cells")rx"); // "tomogram" is an option, too

    std::vector<std::string> faults;
    if (!isSource(path)) {
        return faults;
    }
    const auto lines = linesOf(text);
    if (lines.size() > kMostLines) {
        faults.push_back(fault(path, static_cast<int>(lines.size()),
                               "longer than " + std::to_string(kMostLines) + " lines"));
    }
    const bool knowsSamples = !path.starts_with("engine/") || path.starts_with("engine/sample/");
    int number = 0;
    for (const std::string_view line : lines) {
        ++number;
        std::cmatch match;
        if (std::regex_search(line.begin(), line.end(), match, kDefine) &&
            !std::regex_match(match[1].str(), kAllowedMacro) &&
            !(marksFunctions && match[1].str() == "FLCC_HOST_DEVICE") && !namesMembers) {
            faults.push_back(fault(path, number, "macro " + match[1].str()));
        }
        if (!knowsSamples && std::regex_search(line.begin(), line.end(), kSampleName)) {
            faults.push_back(fault(path, number, "the engine knows the name of a sample"));
        }
    }
    return faults;
}

std::vector<std::string> methodNameFaults(std::string_view path, std::string_view text) {
    static const Names kLayerFolders{"engine/", "viz/", "ui/", "app/"};
    static const std::regex kMethodName(
        R"rx("(direct|tiled|fourier|tiled-template|dif|separable|recursive)")rx");
    static const std::regex kComment(R"(//.*)");
    std::vector<std::string> faults;
    // There "fourier" is a choice of window statistics.
    if (!isSource(path) || !startsWithAny(path, kLayerFolders) ||
        path == "engine/method/problem.h") {
        return faults;
    }
    int number = 0;
    for (const std::string_view line : linesOf(text)) {
        ++number;
        const std::string code = std::regex_replace(std::string(line), kComment, "");
        std::smatch match;
        if (code.find(" name() const override {") == std::string::npos &&
            std::regex_search(code, match, kMethodName)) {
            faults.push_back(fault(path, number,
                                   "knows the method " + match[0].str() +
                                       " by name; ask for its method::Traits"));
        }
    }
    return faults;
}

std::vector<std::string> operationFaults(std::string_view path, std::string_view text) {
    static const Names kLayerFolders{"engine/", "viz/", "ui/", "app/"};
    // The default operation's name, which texts leave out, and the table of definitions by name.
    static const Names kTables{"engine/method/operation.h", "engine/reference/match_operation.cpp"};
    static const std::string kName("\"(lcc|correlation|covariance|cosine|ssd|nssd|sad)\"");
    static const std::regex kComparison(
        R"(\bis(Lcc|Correlation|Covariance|Cosine|Ssd|Nssd|Sad)\b|[=!]=\s*)" + kName + "|" + kName +
        R"(\s*[=!]=|[=!]=\s*\*?(method::)?(Operation\s*[({]|operationNamed\())");
    static const std::regex kComment(R"(//.*)");
    std::vector<std::string> faults;
    if (!isSource(path) || !startsWithAny(path, kLayerFolders) || startsWithAny(path, kTables)) {
        return faults;
    }
    int number = 0;
    for (const std::string_view line : linesOf(text)) {
        ++number;
        const std::string code = std::regex_replace(std::string(line), kComment, "");
        std::smatch match;
        if (std::regex_search(code, match, kComparison)) {
            faults.push_back(fault(path, number,
                                   "asks which operation it is (" + match[0].str() +
                                       "); ask for the property of its OperationTraits"));
        }
    }
    return faults;
}

std::vector<std::string> machinePathFaults(std::string_view path, std::string_view text) {
    static const std::regex kMachinePath(R"((^|[^\w.])/(work|farm|home|root|Users|tmp)/\w)");
    std::vector<std::string> faults;
    int number = 0;
    for (const std::string_view line : linesOf(text)) {
        ++number;
        if (std::regex_search(line.begin(), line.end(), kMachinePath)) {
            faults.push_back(fault(path, number, "names a folder of one machine"));
        }
    }
    return faults;
}

std::vector<std::string> readmeFaults(std::string_view path, std::string_view text) {
    constexpr std::size_t kMostLines = 40;
    constexpr std::size_t kMostBytes = 130;
    std::vector<std::string> faults;
    if (!path.ends_with("/README.md")) {
        return faults; // the one of the top folder is for users
    }
    const auto lines = linesOf(text);
    if (lines.size() > kMostLines) {
        faults.push_back(fault(path, static_cast<int>(lines.size()),
                               "longer than " + std::to_string(kMostLines) + " lines"));
    }
    int number = 0;
    for (const std::string_view line : lines) {
        ++number;
        if (line.size() > kMostBytes && !line.starts_with('|')) {
            faults.push_back(fault(path, number, "a line beside tables is too long"));
        }
    }
    return faults;
}

std::vector<std::string> folderFaults(const std::vector<std::string>& paths) {
    constexpr int kMostSources = 40;
    std::map<std::string_view, int> sources;
    for (const std::string_view path : paths) {
        if (isSource(path) && !path.starts_with("tests/") && path.find('/') != path.npos) {
            ++sources[path.substr(0, path.rfind('/'))];
        }
    }
    std::vector<std::string> faults;
    for (const auto& [folder, count] : sources) {
        if (count > kMostSources) {
            faults.push_back(std::string(folder) + " holds " + std::to_string(count) +
                             " sources: divide it by job");
        }
    }
    return faults;
}

std::vector<std::string> topLevelFaults(const std::vector<std::string>& names) {
    static const Names kAllowed{"app",
                                "build",
                                "engine",
                                "packaging",
                                "resources",
                                "tests",
                                "ui",
                                "viz",
                                "CMakeLists.txt",
                                "CMakePresets.json",
                                "README.md",
                                "LICENSE",
                                "ARCHITECTURE.md",
                                "CONTRIBUTING.md",
                                "CHANGELOG.md",
                                "CMakeUserPresets.json"};
    std::vector<std::string> faults;
    for (const std::string& name : names) {
        if (!name.starts_with('.') && rank(kAllowed, name) < 0) {
            faults.push_back(name + " has no place in the top folder");
        }
    }
    return faults;
}

} // namespace flcc::architecture
