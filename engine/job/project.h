#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/job/job.h"
#include "engine/job/result.h"

// A project: what a person works on, as one value and as one file (.flcc). The file is JSON of
// resources/schemas/project.schema.json.

namespace flcc::job {

/// A file by its bytes, wherever it lies: two files of one size whose first and last MiB are equal
/// count as one. The whole is not read, as scenes are large.
struct FileIdentity {
    std::int64_t size = 0;
    std::string ends; ///< SHA-256 of the first and the last MiB

    friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};
/// Of a file; of a folder (a DICOM series) the names and sizes of its files. A name with a dataset
/// or with the layout of raw voxels ("FILE.h5:/path") is that of its file. Empty for what cannot be
/// read.
[[nodiscard]] std::optional<FileIdentity> identityOf(const std::filesystem::path& file);

/// A file that a project names.
struct KnownFile {
    std::filesystem::path path{}; ///< absolute, when the project was saved
    std::optional<FileIdentity> identity{};
};

/// Where a file of a project was found.
struct FoundFile {
    enum class How {
        Found,   ///< with the bytes that the project knows
        Changed, ///< other bytes; never taken without a question
        Missing,
    };
    How how = How::Missing;
    std::filesystem::path path{}; ///< of Missing, where it was looked for first
};
/// Looks for a file of a project whose folder was `before` and is `now`: at the same way from the
/// project, where it was, beside the project, and in each folder of `mended`, where other files of
/// the project were found. **Cost**: reads up to 2 MiB of each candidate.
[[nodiscard]] FoundFile findFile(const KnownFile& file, const std::filesystem::path& before,
                                 const std::filesystem::path& now,
                                 const std::vector<std::filesystem::path>& mended = {});

/// A scene of the list. Pixels are not in the project, unless nothing else gives them.
struct ProjectScene {
    std::string name;
    KnownFile file{};   ///< its path is empty for a sample and for a made scene
    std::string sample; ///< name of the built-in sample, or empty
    std::optional<int> channel;
    std::optional<int> frame;
    io::Reading reading{};
    base::PixelType type = base::PixelType::Float32;
    base::Extents extents{0, 0, 0};
    bool made = false;    ///< the result of a filter, which no file holds
    bool aside = false;   ///< kept beside a binned scene, and not searched
    bool missing = false; ///< opened without its file; not stored
    /// Of a made scene: the file that it goes back to, or empty.
    std::filesystem::path origin{};
    /// Of a made scene, whose pixels no file holds.
    std::shared_ptr<const SceneImage> image{};
    std::string picture{}; ///< a thumbnail as PNG, or empty
};

struct ProjectTemplate {
    std::shared_ptr<const SceneImage> image;
    std::string name;
    std::filesystem::path path;
    std::optional<base::Box> crop{};
    std::string place{};
    bool resampled = false;
    std::shared_ptr<const SceneImage> stored{};
    bool asStored = false;
};

struct ProjectMask {
    std::shared_ptr<const MaskImage> image;
    std::string name;
    std::filesystem::path path;
};

/// Templates and masks.
struct ProjectInputs {
    std::vector<ProjectTemplate> templates{};
    int active = -1;
    std::vector<ProjectMask> masks{};
    std::optional<ProjectMask> sceneMask{};
};

/// A result without its map, which its job makes again.
struct ProjectResult {
    Result result;
    std::string title;
    int scene = 0; ///< its number in the list
    int run = 0;   ///< the same number for all scenes of a run; 0: a run of one scene
    int id = 0;    ///< that decisions of a journal name
    ProjectInputs inputs{};
    std::string picture{}; ///< a thumbnail of the map as PNG, or empty
};

struct Project {
    /// The folder in which the file was written; empty before.
    std::filesystem::path folder{};
    std::vector<ProjectScene> scenes{};
    int activeScene = 0;
    std::optional<base::Spacing> spacing{};
    std::optional<base::WorldAxes> axes{};
    std::optional<base::Box> box{};
    ProjectInputs inputs{};
    Job settings{}; ///< the fields of the Match panel
    std::vector<ProjectResult> results{};
    int shownResult = -1;
    int selectedPeak = -1;
    std::string notes{};
    /// How the window shows it: an object of JSON that only the window reads.
    std::string views = "{}";
    /// What a newer version of the program stored beside these, kept and written again: an object.
    std::string others = "{}";
    bool fromNewer = false; ///< a version whose files this one cannot write (kProjectVersion)
};

/// Grows when older programs would misread a file. A file of a larger one can be looked at, but is
/// not written over.
inline constexpr int kProjectVersion = 1;
/// Grows when members are added. A file of a larger one opens.
inline constexpr int kProjectMinor = 0;
/// A larger file is refused before it is read.
inline constexpr std::int64_t kMostProjectBytes = std::int64_t{2} << 30;
/// An image with more bytes is kept by its place, a file or a box of the scene, not by its voxels.
inline constexpr std::int64_t kMostStoredBytes = std::int64_t{64} << 20;
/// A filtered scene, which has no other place, may have so many.
inline constexpr std::int64_t kMostMadeBytes = std::int64_t{512} << 20;

/// The file's text; `folder` is where it is written. **Cost**: of the voxels of templates and
/// masks. **Threads**: any; it reads nothing but its arguments and the files for their identities,
/// of those that have none.
[[nodiscard]] std::string toText(const Project& project, const std::filesystem::path& folder);

/// Tells states of one session apart, without a look at voxels and files: an image in memory is
/// itself alone. **Threads**: any.
[[nodiscard]] std::string sessionDigest(const Project& project);

/// **Errors**: Input for a text that is no project, or one that contradicts itself.
[[nodiscard]] Project projectOf(std::string_view text);
/// The same of a file. **Errors**: Input also for one that cannot be read or is too large.
[[nodiscard]] Project readProject(const std::filesystem::path& file);
/// Whether a file begins as a project does.
[[nodiscard]] bool isProject(const std::filesystem::path& file);

/// The number of decisions in a project.
[[nodiscard]] std::int64_t decisionsIn(const Project& project);

/// A decision of a person, as a line of the journal of an autosave: decisions are written at once,
/// everything else after some seconds.
struct Decided {
    int result = 0; ///< ProjectResult::id
    match::PeakKey peak;
    match::Decision decision = match::Decision::Undecided;

    friend bool operator==(const Decided&, const Decided&) = default;
};
/// With a digest and a line feed at the end.
[[nodiscard]] std::string journalLine(const Decided& decided);
/// A journal that is written. **Threads**: append() on one thread, flush() on any.
class JournalFile {
  public:
    /// Appends to the file, which is made where there is none. **Errors**: Output.
    explicit JournalFile(const std::filesystem::path& file);
    ~JournalFile();
    JournalFile(const JournalFile&) = delete;
    JournalFile& operator=(const JournalFile&) = delete;

    /// The system has the lines afterwards, whatever happens to this process. **Errors**: Output.
    void append(const std::vector<Decided>& decisions);
    /// The disk has them afterwards, whatever happens to the system.
    void flush() const;

  private:
    std::filesystem::path m_file;
    int m_descriptor;
};
/// The lines of a journal up to the first one that is torn or damaged.
[[nodiscard]] std::vector<Decided> journalOf(std::string_view text);
/// Decides as the journal says, in its order. Lines on results that the project lacks are left out;
/// their number is returned.
std::int64_t applyJournal(Project& project, const std::vector<Decided>& journal);

/// Writes a project to a file: beside it first, read again and compared, then in its place. What
/// was there before becomes NAME~1, and so on to NAME~3. **Errors**: Output; the old file is then
/// as it was. Input is an error of this program: the text does not read.
void saveProject(const std::filesystem::path& file, const std::string& text);

/// An earlier version of a project.
struct EarlierVersion {
    std::filesystem::path file;
    std::int64_t when = 0; ///< seconds since 1970
    std::int64_t bytes = 0;
};
/// NAME~1 to NAME~3 of a project, as far as they are there, the latest first.
[[nodiscard]] std::vector<EarlierVersion> earlierVersions(const std::filesystem::path& file);

} // namespace flcc::job
