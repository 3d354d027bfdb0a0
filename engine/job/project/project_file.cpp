#include <algorithm>
#include <fstream>
#include <system_error>

#include <sys/stat.h>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/io/atomic_file.h"
#include "engine/io/digest.h"
#include "engine/job/project.h"

namespace flcc::job {
namespace {

namespace fs = std::filesystem;

constexpr int kEarlier = 3;
constexpr std::int64_t kEnd = std::int64_t{1} << 20;

[[noreturn]] void failFile(const fs::path& file, const std::string& why) {
    throw base::Error(base::ErrorCode::Input,
                      "cannot read " + base::oneLine(file.native()) + ": " + why);
}

/// The name without what stands behind that of a file: a dataset, the layout of raw voxels.
fs::path fileOf(const fs::path& named) {
    std::error_code error;
    if (fs::exists(named, error)) {
        return named;
    }
    const std::string& text = named.native();
    for (std::size_t at = text.find(':'); at != std::string::npos; at = text.find(':', at + 1)) {
        if (fs::is_regular_file(text.substr(0, at), error)) {
            return text.substr(0, at);
        }
    }
    return named;
}

/// What stands behind the name of the file.
std::string restOf(const fs::path& named, const fs::path& file) {
    return named.native().substr(file.native().size());
}

void addPart(io::Digest& digest, std::ifstream& file, std::int64_t from, std::int64_t count) {
    std::string bytes(static_cast<std::size_t>(count), '\0');
    file.seekg(from);
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    digest.add(bytes.data(), static_cast<std::size_t>(file.gcount()));
}

FileIdentity identityOfFolder(const fs::path& folder) {
    std::vector<std::string> names;
    FileIdentity identity;
    for (const auto& each : fs::directory_iterator(folder)) {
        if (each.is_regular_file()) {
            identity.size += static_cast<std::int64_t>(each.file_size());
            names.push_back(each.path().filename().native() + "\n" +
                            std::to_string(each.file_size()) + "\n");
        }
    }
    std::ranges::sort(names);
    std::string all;
    for (const std::string& each : names) {
        all += each;
    }
    identity.ends = io::textDigest(all);
    return identity;
}

std::string textOf(const fs::path& file, std::int64_t most) {
    std::error_code error;
    if (!fs::is_regular_file(file, error)) {
        failFile(file, "there is no such file");
    }
    const auto size = static_cast<std::int64_t>(fs::file_size(file, error));
    if (error || size > most) {
        failFile(file, "it has " + base::bytesText(size) + ", and a project has at most " +
                           base::bytesText(most));
    }
    std::ifstream stream(file, std::ios::binary);
    std::string text(static_cast<std::size_t>(size), '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!stream) {
        failFile(file, "the system does not read it");
    }
    return text;
}

fs::path earlierName(const fs::path& file, int number) {
    return file.native() + "~" + std::to_string(number);
}

} // namespace

std::optional<FileIdentity> identityOf(const fs::path& named) {
    const fs::path path = fileOf(named);
    try {
        if (fs::is_directory(path)) {
            return identityOfFolder(path);
        }
        if (!fs::is_regular_file(path)) {
            return std::nullopt;
        }
        FileIdentity identity;
        identity.size = static_cast<std::int64_t>(fs::file_size(path));
        std::ifstream file(path, std::ios::binary);
        if (!file) {
            return std::nullopt;
        }
        io::Digest digest;
        addPart(digest, file, 0, std::min(identity.size, kEnd));
        if (identity.size > kEnd) {
            addPart(digest, file, std::max(kEnd, identity.size - kEnd),
                    std::min(kEnd, identity.size - kEnd));
        }
        identity.ends = digest.text();
        return identity;
    } catch (const fs::filesystem_error&) {
        return std::nullopt;
    }
}

FoundFile findFile(const KnownFile& file, const fs::path& before, const fs::path& now,
                   const std::vector<fs::path>& mended) {
    const fs::path was = fileOf(file.path);
    const std::string rest = restOf(file.path, was);
    std::vector<fs::path> places;
    if (!before.empty() && !now.empty()) {
        places.push_back((now / file.path.lexically_relative(before)).lexically_normal());
    }
    places.push_back(file.path);
    if (!now.empty()) {
        places.push_back(now / file.path.filename());
    }
    for (const fs::path& folder : mended) {
        places.push_back(folder / file.path.filename());
    }
    FoundFile other{FoundFile::How::Missing, places.front()};
    for (const fs::path& place : places) {
        const std::optional<FileIdentity> identity = identityOf(place);
        if (identity && (!file.identity || *identity == *file.identity)) {
            return {FoundFile::How::Found, place};
        }
        if (identity && other.how == FoundFile::How::Missing) {
            other = {FoundFile::How::Changed, place};
        }
    }
    return other;
}

Project readProject(const fs::path& file) {
    Project project = projectOf(textOf(file, kMostProjectBytes));
    return project;
}

bool isProject(const fs::path& file) {
    std::error_code error;
    if (!fs::is_regular_file(file, error)) {
        return false;
    }
    constexpr std::string_view kHead = "{\"format\": \"flcc project\"";
    std::ifstream stream(file, std::ios::binary);
    std::string begin(kHead.size(), '\0');
    stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    return begin == kHead;
}

void saveProject(const fs::path& file, const std::string& text) {
    const fs::path target = io::outputTarget(file);
    io::AtomicFile made(target);
    io::writeText(made, text);
    // What does not read back is not put into the place of what does.
    (void)projectOf(textOf(made.temporary(), kMostProjectBytes));
    std::error_code error;
    if (fs::exists(target, error)) {
        for (int number = kEarlier; number > 1; --number) {
            fs::rename(earlierName(target, number - 1), earlierName(target, number), error);
        }
        // A second name of the file, so that the first one is never without a file.
        fs::remove(earlierName(target, 1), error);
        fs::create_hard_link(target, earlierName(target, 1), error);
        if (error) { // a file system without links
            fs::copy_file(target, earlierName(target, 1), fs::copy_options::overwrite_existing,
                          error);
        }
    }
    made.commit();
}

std::vector<EarlierVersion> earlierVersions(const fs::path& file) {
    std::vector<EarlierVersion> found;
    for (int number = 1; number <= kEarlier; ++number) {
        std::error_code error;
        const fs::path name = earlierName(file, number);
        if (!fs::is_regular_file(name, error)) {
            continue;
        }
        struct stat facts {};
        if (::stat(name.c_str(), &facts) == 0) {
            found.push_back({name, facts.st_mtime, facts.st_size});
        }
    }
    return found;
}

} // namespace flcc::job
