#include "engine/job/kinds/replayed_inputs.h"

#include <algorithm>
#include <array>
#include <fstream>

#include "engine/base/open_file.h"
#include "engine/io/digest.h"

namespace flcc::job::detail {

using json::Json;
using std::filesystem::path;

namespace {

/// The digest of a file; empty if it cannot be read.
std::string digestOf(const path& file, const std::stop_token& stop) {
    std::error_code ignored;
    std::ifstream in;
    if (std::filesystem::is_regular_file(file, ignored)) { // opening a pipe waits for its writer
        in = base::openFile(file);
    }
    if (!in.is_open()) {
        return {};
    }
    io::Digest digest;
    std::vector<char> block(std::size_t{1} << 20);
    while (in && !stop.stop_requested()) {
        in.read(block.data(), static_cast<std::streamsize>(block.size()));
        digest.add(block.data(), static_cast<std::size_t>(in.gcount()));
    }
    return digest.text();
}

/// The file in a name such as "stack.h5:/data" or "volume.raw:64x64x64:uint8".
path fileOf(const std::string& name) {
    std::string file = name;
    std::error_code error;
    while (!std::filesystem::exists(file, error)) {
        const std::size_t colon = file.rfind(':');
        if (colon == std::string::npos) {
            return name;
        }
        file.resize(colon);
    }
    return file;
}

/// The files that a job names beside its scene.
std::vector<path> companions(const Job& job) {
    std::vector<path> files = job.templates;
    files.insert(files.end(), job.masks.begin(), job.masks.end());
    files.push_back(job.sceneMask);
    return files;
}
std::vector<path> companions(const ConvolveJob& job) { return {job.kernel}; }
std::vector<path> companions(const FeaturesJob& job) { return {job.match}; }

/// How many templates of a match lie in files or are cut from the scene.
std::size_t templatesOf(const AnyJob& job) {
    const auto* const match = std::get_if<Job>(&job);
    return match == nullptr ? 0 : match->crops.size() + match->templates.size();
}

bool hasDigest(const Json& input) {
    return input.value("sha256", Json()).is_string() || input.value("series", Json()).is_array();
}

/// Why an input without a digest cannot be taken again; empty if it can be, with a note if its file
/// may be another one by now.
std::string faultWithoutDigest(const Json& input, const std::vector<path>& files, bool isThere,
                               bool surplus, std::vector<std::string>& notes) {
    const std::string role = input.value("role", "input");
    const std::string name = input.value("path", "");
    if (role == "scene" || role == "image") {
        return name.starts_with(kSample)
                   ? std::string()
                   : role + " " + name + " has no digest: it was not read from a file";
    }
    if (std::ranges::find(files, path(name)) != files.end()) {
        if (isThere) {
            notes.push_back(role + " " + name +
                            " is not checked, because the report has no digest of it; the file is "
                            "taken as it is now");
        } // else it is a shape, or running the job says what is missing
        return {};
    }
    return role == "template" && surplus
               ? role + " " + name + " has no digest: it was not read from a file"
               : std::string(); // cut from the scene
}

/// Where the inputs of a report may lie.
class Places {
  public:
    Places(const path& file, const Json& report)
        : m_now(std::filesystem::absolute(file).parent_path()),
          m_then(path(textAt(report.value("job", Json::object()), "report")).parent_path()) {}

    /// The places of a file of this name, best first.
    [[nodiscard]] std::vector<path> of(const std::string& name) const {
        const path stated(name);
        // From the folder of the report, as it was, to the file.
        const path beside = stated.is_absolute() == m_then.is_absolute()
                                ? stated.lexically_relative(m_then.empty() ? "." : m_then)
                                : path();
        std::vector<path> places;
        const auto add = [&](const path& place) { places.push_back(place.lexically_normal()); };
        if (stated.is_absolute()) {
            add(stated);
        }
        if (!beside.empty()) {
            add(m_now / beside);
        }
        if (stated.is_relative()) {
            add(m_now / stated);
            places.push_back(stated);
        }
        add(m_now / stated.filename());
        return places;
    }

  private:
    static std::string textAt(const Json& json, const char* key) {
        const Json value = json.value(key, Json());
        return value.is_string() ? value.get<std::string>() : std::string();
    }

    path m_now;
    path m_then; ///< relative if the report's path was
};

bool isSameFile(const path& a, const path& b) {
    std::error_code error;
    return std::filesystem::equivalent(fileOf(a.string()), fileOf(b.string()), error);
}

class Finder {
  public:
    Finder(const path& file, const Json& report, const AnyJob& job, const std::stop_token& stop)
        : m_places(file, report), m_report(report), m_job(job), m_stop(stop) {}

    ReplayedInputs run() {
        const std::vector<path> files =
            std::visit([](const auto& one) { return companions(one); }, m_job);
        std::size_t templates = 0;
        bool sample = false;
        for (const Json& input : m_report.value("inputs", Json::array())) {
            const std::string role = input.value("role", "input");
            sample = sample || input.value("path", "").starts_with(kSample);
            templates += role == "template" ? 1U : 0U;
            find(role, input);
            find(role, input.value("data_file", Json()));
            for (const Json& part :
                 input.value("series", Json()).is_array() ? input.at("series") : Json::array()) {
                find(role, part);
            }
            if (!hasDigest(input)) {
                const bool surplus = !sample && templates > templatesOf(m_job);
                const path place = firstOf(input.value("path", ""));
                add(faultWithoutDigest(input, files, !place.empty(), surplus, m_found.notes));
                move(role, input.value("path", ""), place);
            }
        }
        return std::move(m_found);
    }

  private:
    void add(const std::string& fault) {
        m_found.faults += (m_found.faults.empty() || fault.empty() ? "" : "; ") + fault;
    }

    /// The first place where a file of this name is; empty if there is none.
    [[nodiscard]] path firstOf(const std::string& name) const {
        std::error_code error;
        for (const path& place : m_places.of(name)) {
            if (std::filesystem::is_regular_file(fileOf(place.string()), error) ||
                std::filesystem::is_directory(place, error)) {
                return place;
            }
        }
        return {};
    }

    void move(const std::string& role, const std::string& name, const path& place) {
        if (name.empty() || place.empty() || place == path(name)) {
            return;
        }
        m_found.moved.emplace_back(name, place.string());
        if (!isSameFile(place, path(name))) {
            m_found.notes.push_back(role + " " + name + " is taken from " + place.string());
        }
    }

    /// Finds a file with a digest, or says why it is not what it was.
    void find(const std::string& role, const Json& file) {
        if (!file.is_object() || !file.value("sha256", Json()).is_string() ||
            !file.value("path", Json()).is_string()) {
            return;
        }
        const std::string name = file.at("path").get<std::string>();
        const std::string expected = file.at("sha256").get<std::string>();
        std::string other;
        std::vector<path> asked;
        for (const path& place : m_places.of(name)) {
            const path real = fileOf(place.string());
            if (std::ranges::any_of(asked,
                                    [&](const path& one) { return isSameFile(one, real); })) {
                continue;
            }
            asked.push_back(real);
            const std::string digest = digestOf(real, m_stop);
            if (digest == expected || m_stop.stop_requested()) {
                move(role, name, place);
                return;
            }
            other = other.empty() ? digest : other;
        }
        add(other.empty() ? role + " " + name + " is missing"
                          : role + " " + name + " has changed: its SHA-256 is " + other + ", not " +
                                expected);
    }

    Places m_places;
    const Json& m_report;
    const AnyJob& m_job;
    const std::stop_token& m_stop;
    ReplayedInputs m_found;
};

} // namespace

ReplayedInputs findInputs(const path& file, const Json& report, const AnyJob& job,
                          const std::stop_token& stop) {
    return Finder(file, report, job, stop).run();
}

Json movedJob(const Json& job, const ReplayedInputs& inputs) {
    Json moved = job;
    const auto put = [&](Json& value) {
        if (!value.is_string()) {
            return;
        }
        const std::string text = value.get<std::string>();
        for (const auto& [from, to] : inputs.moved) { // "flipped:FILE" of --ctf as well
            if (text == from || text.ends_with(":" + from)) {
                value = text.substr(0, text.size() - from.size()) + to;
                return;
            }
        }
    };
    for (Json& value : moved) {
        if (value.is_array()) {
            std::ranges::for_each(value, put);
        } else {
            put(value);
        }
    }
    return moved;
}

} // namespace flcc::job::detail
