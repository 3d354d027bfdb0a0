#include "engine/io/protected_files.h"

#include <sys/stat.h>

#include <system_error>

#include "engine/base/error.h"
#include "engine/io/atomic_file.h"
#include "engine/io/files/paths.h"
#include "engine/io/image_file.h"

namespace flcc::io {

namespace fs = std::filesystem;

std::string fileIdentity(const fs::path& path) {
    struct stat facts {};
    if (::stat(path.c_str(), &facts) == 0) {
        return std::to_string(facts.st_dev) + ":" + std::to_string(facts.st_ino);
    }
    fs::path target = path;
    try {
        target = outputTarget(path);
    } catch (const base::Error&) { // writing there fails anyway
    }
    std::error_code error;
    const fs::path full = fs::weakly_canonical(target, error);
    return (error ? target : full).string();
}

void ProtectedFiles::add(const fs::path& file) {
    if (!file.empty()) {
        m_files.emplace(fileIdentity(file), file);
    }
}

void ProtectedFiles::addImage(const fs::path& image) {
    add(image);
    try {
        if (!image.empty()) {
            for (const fs::path& file : filesBeside(image)) {
                add(file);
            }
        }
    } catch (const base::Error& error) {
        if (error.code() == base::ErrorCode::Memory) {
            throw;
        }
    }
}

const fs::path* ProtectedFiles::find(const fs::path& output) const {
    const auto found = m_files.find(fileIdentity(output));
    return found == m_files.end() ? nullptr : &found->second;
}

void ProtectedFiles::requireOther(const fs::path& output) const {
    if (const fs::path* const input = output.empty() ? nullptr : find(output)) {
        throw base::Error(
            base::ErrorCode::CommandLine,
            base::Message("output-replaces-input",
                          "the output {output} would replace the input {input}; "
                          "choose another name",
                          {{"output", detail::shown(output)}, {"input", detail::shown(*input)}}));
    }
}

} // namespace flcc::io
