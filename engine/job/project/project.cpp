#include "engine/job/project.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "engine/base/base64.h"
#include "engine/io/digest.h"
#include "engine/job/any_job.h"
#include "engine/job/project/images.h"
#include "engine/job/project/report_fields.h"

namespace flcc::job {

namespace detail::project {

FLCC_FIELDS(FileIdentity, size, ends)
FLCC_FIELDS(KnownFile, path, identity)

namespace {

/// The scene of a result is one of the list.
constexpr std::int64_t kNoVoxels = -1;

/// Where a member of an archive is an image, it stands as its number.
struct Images {
    ImageWriter* write = nullptr;
    const ImageReader* read = nullptr;

    template <class Archive>
    void image(Archive& archive, const char* name, std::shared_ptr<const SceneImage>& value,
               std::int64_t most = kMostStoredBytes) {
        int number = write != nullptr ? write->add(value, most) : -1;
        archive(name, number);
        value = write != nullptr ? value : read->image(number);
    }
    template <class Archive>
    void mask(Archive& archive, const char* name, std::shared_ptr<const MaskImage>& value) {
        int number = write != nullptr ? write->add(value) : -1;
        archive(name, number);
        value = write != nullptr ? value : read->mask(number);
    }
    template <class Archive, class T>
    void list(Archive& archive, const char* name, std::vector<std::shared_ptr<const T>>& values) {
        std::vector<int> numbers;
        for (const auto& each : values) {
            numbers.push_back(write != nullptr ? write->add(each) : -1);
        }
        archive(name, numbers);
        if (write == nullptr) {
            values.clear();
            for (const int number : numbers) {
                if constexpr (std::same_as<T, SceneImage>) {
                    values.push_back(read->image(number));
                } else {
                    values.push_back(read->mask(number));
                }
            }
        }
    }
};

/// A list of values of which each needs the images.
template <class Archive, class T, class Each>
void each(Archive& archive, const char* name, std::vector<T>& values, const Each& one) {
    if constexpr (std::same_as<Archive, Writer>) {
        Json list = Json::array();
        for (T& value : values) {
            Writer writer;
            one(writer, value);
            list.push_back(std::move(writer.json));
        }
        archive.json[name] = std::move(list);
    } else {
        values.clear();
        for (const Json& json : archive.list(name)) {
            Reader reader(json);
            one(reader, values.emplace_back());
        }
    }
}

/// An image that is in no file, such as a drawn mask, has an empty name in a job of the window.
constexpr std::string_view kInMemory = "(in memory)";

void rename(Job& job, std::string_view from, std::string_view to) {
    for (auto* paths : {&job.furtherScenes, &job.templates, &job.masks}) {
        std::ranges::replace(*paths, std::filesystem::path(from), std::filesystem::path(to));
    }
}

/// A job stands as its job file.
template <class Archive> void jobField(Archive& archive, const char* name, Job& job) {
    if constexpr (std::same_as<Archive, Writer>) {
        Job named = job;
        rename(named, "", kInMemory);
        archive.json[name] = Json::parse(toJobFile(named));
    } else if (const Json* json = archive.find(name)) {
        job = fromJobFile(json->dump());
        rename(job, kInMemory, "");
    }
}

template <class Archive> void bytesField(Archive& archive, const char* name, std::string& bytes) {
    std::string text;
    if constexpr (std::same_as<Archive, Writer>) {
        text = base::toBase64(bytes);
    }
    archive(name, text);
    if constexpr (std::same_as<Archive, Reader>) {
        const auto decoded = base::fromBase64(text);
        if (!decoded) {
            refuse(std::string(name) + ": bytes are no base64");
        }
        bytes = *decoded;
    }
}

template <class Archive> void sceneFields(Archive& archive, ProjectScene& self, Images& images) {
    FLCC_EACH(FLCC_FIELD, name, file, sample, channel, frame, reading, type, extents, made, aside,
              origin)
    images.image(archive, "image", self.image, kMostMadeBytes);
    bytesField(archive, "picture", self.picture);
}

template <class Archive>
void templateFields(Archive& archive, ProjectTemplate& self, Images& images) {
    FLCC_EACH(FLCC_FIELD, name, path, crop, place, resampled, asStored)
    images.image(archive, "image", self.image);
    images.image(archive, "stored", self.stored);
}

template <class Archive> void maskFields(Archive& archive, ProjectMask& self, Images& images) {
    FLCC_EACH(FLCC_FIELD, name, path)
    images.mask(archive, "mask", self.image);
}

template <class Archive> void inputFields(Archive& archive, ProjectInputs& self, Images& images) {
    each(archive, "templates", self.templates,
         [&](auto& to, ProjectTemplate& one) { templateFields(to, one, images); });
    archive("active", self.active);
    const auto masks = [&](auto& to, ProjectMask& one) { maskFields(to, one, images); };
    each(archive, "masks", self.masks, masks);
    std::vector<ProjectMask> ofScene;
    if (self.sceneMask) {
        ofScene.push_back(*self.sceneMask);
    }
    each(archive, "sceneMask", ofScene, masks);
    self.sceneMask = ofScene.empty() ? std::nullopt : std::optional(ofScene.front());
}

template <class Archive> void inputsField(Archive& archive, ProjectInputs& self, Images& images) {
    if constexpr (std::same_as<Archive, Writer>) {
        Writer writer;
        inputFields(writer, self, images);
        archive.json["inputs"] = std::move(writer.json);
    } else if (const Json* json = archive.find("inputs")) {
        Reader reader(*json);
        inputFields(reader, self, images);
    }
}

/// Not stored: the map, its index and its statistics of a search, which the job makes again.
template <class Archive> void jobResultFields(Archive& archive, JobResult& self, Images& images) {
    {
        [[maybe_unused]] const auto& [cancelled, mapFinished, scene, geometry, templates, masks,
                                      sceneMask, map, index, search, mapGeometry, mapCorner, peaks,
                                      report, notes, warnings] = self;
    }
    FLCC_EACH(FLCC_FIELD, cancelled, mapFinished, geometry, mapGeometry, mapCorner, peaks, report,
              notes, warnings)
    bool told = !self.report.peaks.empty();
    archive("peaksTold", told);
    if (told) {
        self.report.peaks = self.peaks;
    }
    images.image(archive, "scene", self.scene, kNoVoxels);
    images.list(archive, "templates", self.templates);
    images.list(archive, "masks", self.masks);
    images.mask(archive, "sceneMask", self.sceneMask);
}

template <class Archive> void resultFields(Archive& archive, ProjectResult& self, Images& images) {
    FLCC_EACH(FLCC_FIELD, title, scene, run, id)
    jobField(archive, "job", self.result.settings);
    archive("decisions", self.result.decisions);
    archive("added", self.result.added);
    std::optional<std::vector<match::Peak>> found;
    if (self.result.found) {
        found = *self.result.found;
    }
    archive("found", found);
    if (found && !self.result.found) {
        self.result.found = std::make_shared<const std::vector<match::Peak>>(std::move(*found));
    }
    if constexpr (std::same_as<Archive, Writer>) {
        Writer writer;
        JobResult copy = *self.result.job;
        jobResultFields(writer, copy, images);
        archive.json["result"] = std::move(writer.json);
    } else if (const Json* json = archive.find("result")) {
        auto made = std::make_shared<JobResult>();
        Reader reader(*json);
        jobResultFields(reader, *made, images);
        self.result.job = std::move(made);
    }
    inputsField(archive, self.inputs, images);
    bytesField(archive, "picture", self.picture);
}

constexpr std::array kKeys{"format",  "version",      "saved", "folder", "scenes", "shown",
                           "spacing", "axes",         "box",   "inputs", "match",  "results",
                           "result",  "selectedPeak", "notes", "views",  "images"};

template <class Archive> void projectFields(Archive& archive, Project& self, Images& images) {
    archive("folder", self.folder);
    each(archive, "scenes", self.scenes,
         [&](auto& to, ProjectScene& one) { sceneFields(to, one, images); });
    archive("shown", self.activeScene);
    archive("spacing", self.spacing);
    archive("axes", self.axes);
    archive("box", self.box);
    inputsField(archive, self.inputs, images);
    jobField(archive, "match", self.settings);
    each(archive, "results", self.results,
         [&](auto& to, ProjectResult& one) { resultFields(to, one, images); });
    archive("result", self.shownResult);
    archive("selectedPeak", self.selectedPeak);
    archive("notes", self.notes);
}

// --- What contradicts itself -------------------------------------------------------------------

void require(bool holds, const char* sentence) {
    if (!holds) {
        refuse(sentence);
    }
}

bool isNumberOf(int number, std::size_t count) {
    return number >= 0 && number < static_cast<int>(count);
}

void requireInputs(const ProjectInputs& inputs) {
    require(inputs.active == -1 || isNumberOf(inputs.active, inputs.templates.size()),
            "the active template is not in the list");
    for (const ProjectTemplate& each : inputs.templates) {
        require(each.image != nullptr, "a template has no image");
    }
    for (const ProjectMask& each : inputs.masks) {
        require(each.image != nullptr, "a mask has no image");
    }
    require(!inputs.sceneMask || inputs.sceneMask->image, "the mask of the scene has no image");
}

void requirePeaks(const std::vector<match::Peak>& peaks, const JobResult& result) {
    constexpr std::int64_t kFar = std::int64_t{1} << 40;
    const auto isNear = [](const base::Index& at) {
        return std::abs(at.x) < kFar && std::abs(at.y) < kFar && std::abs(at.z) < kFar;
    };
    const auto areFinite = [](const base::Point& at) {
        return std::ranges::all_of(at, [](double each) { return std::isfinite(each); });
    };
    for (const match::Peak& peak : peaks) {
        require(isNumberOf(peak.templ, result.templates.size()) &&
                    (!peak.overlap || isNumberOf(peak.overlap->templ, result.templates.size())),
                "a peak is of a template that the result lacks");
        require(isNear(peak.corner) && areFinite(peak.centre) && areFinite(peak.world) &&
                    !std::isnan(peak.score),
                "a peak has no place or no score");
        require(!peak.pose || (std::isfinite(peak.pose->scale) && peak.pose->scale > 0),
                "a peak has no pose");
    }
}

void requireReport(const JobReport& report, std::size_t templates) {
    for (const GroupReport& group : report.groups) {
        require(std::ranges::all_of(group.templates,
                                    [&](int each) { return isNumberOf(each, templates); }),
                "a group names a template that the result lacks");
    }
    require(report.templates.size() == templates || report.templates.empty(),
            "a report is of another number of templates than its result");
}

void requireResult(const ProjectResult& self, const Project& project) {
    require(self.result.job != nullptr, "a result has no report");
    const JobResult& job = *self.result.job;
    require(isNumberOf(self.scene, project.scenes.size()), "a result is of no scene");
    require(job.scene != nullptr, "a result has no scene");
    require(std::ranges::all_of(job.templates, [](const auto& each) { return each != nullptr; }),
            "a template of a result has no image");
    require(job.masks.empty() || job.masks.size() == job.templates.size(),
            "a result has another number of masks than of templates");
    requirePeaks(job.peaks, job);
    requirePeaks(self.result.added, job);
    if (self.result.found) {
        requirePeaks(*self.result.found, job);
    }
    requireReport(job.report, job.templates.size());
    requireInputs(self.inputs);
}

void requireSense(const Project& project) {
    require(!project.scenes.empty(), "the project has no scene");
    require(isNumberOf(project.activeScene, project.scenes.size()),
            "the shown scene is not in the list");
    require(project.shownResult == -1 || isNumberOf(project.shownResult, project.results.size()),
            "the shown result is not in the list");
    for (const ProjectScene& scene : project.scenes) {
        (void)base::voxelCount(scene.extents); // throws
        require(!scene.file.path.empty() || !scene.sample.empty() || scene.image != nullptr,
                "a scene has neither file nor voxels");
    }
    requireInputs(project.inputs);
    for (const ProjectResult& each : project.results) {
        requireResult(each, project);
    }
}

/// The scenes with identities of their files.
std::vector<ProjectScene> identified(std::vector<ProjectScene> scenes) {
    for (ProjectScene& each : scenes) {
        if (!each.file.identity && !each.file.path.empty()) {
            each.file.identity = identityOf(each.file.path);
        }
    }
    return scenes;
}

[[noreturn]] void failProject(const std::string& why) {
    throw base::Error(base::ErrorCode::Input, "the project cannot be read: " + why);
}

} // namespace
} // namespace detail::project

using detail::project::Json;

namespace {

std::string textOf(Project copy, detail::project::ImageWriter pool) {
    using namespace detail::project;
    Images images{&pool, nullptr};
    Writer writer;
    projectFields(writer, copy, images);
    Json& json = writer.json;
    json["views"] = Json::parse(copy.views);
    json["images"] = pool.json();
    const Json others = Json::parse(copy.others);
    for (const auto& [key, value] : others.items()) {
        json[key] = value;
    }
    // The version stands in the first line, so that a person and a program find it without a
    // parser.
    const std::string head = "{\"format\": \"flcc project\", \"version\": \"" +
                             std::to_string(kProjectVersion) + "." + std::to_string(kProjectMinor) +
                             "\",\n";
    return head + json.dump(1).substr(2) + "\n";
}

} // namespace

std::string toText(const Project& project, const std::filesystem::path& folder) {
    Project copy = project;
    copy.folder = folder;
    copy.scenes = detail::project::identified(std::move(copy.scenes));
    return textOf(std::move(copy), detail::project::ImageWriter());
}

std::string sessionDigest(const Project& project) {
    return io::textDigest(textOf(project, detail::project::ImageWriter(false)));
}

Project projectOf(std::string_view text) {
    using namespace detail::project;
    if (base::nestsTooDeep(text)) {
        failProject("its brackets are nested more than 100 deep, or an object has more than 10000 "
                    "members");
    }
    try {
        const Json json = Json::parse(text);
        if (!json.is_object() || json.value("format", std::string()) != "flcc project") {
            failProject("it is no project of FLCC");
        }
        const std::string version = json.at("version").get<std::string>();
        Project project;
        project.fromNewer = std::stoi(version) > kProjectVersion;
        const ImageReader pool(json.value("images", Json::object()));
        Images images{nullptr, &pool};
        Reader reader(json);
        projectFields(reader, project, images);
        project.views = json.value("views", Json::object()).dump();
        Json others = Json::object();
        for (const auto& [key, value] : json.items()) {
            if (std::ranges::find(kKeys, key) == kKeys.end()) {
                others[key] = value;
            }
        }
        project.others = others.dump();
        requireSense(project);
        return project;
    } catch (const base::Error& error) {
        failProject(error.what());
    } catch (const nlohmann::json::exception&) {
        failProject("it is no complete JSON, or a value is of another type");
    } catch (const std::logic_error&) { // of stoi
        failProject("its version is no number");
    }
}

std::int64_t decisionsIn(const Project& project) {
    std::int64_t count = 0;
    for (const ProjectResult& each : project.results) {
        count += std::ssize(each.result.decisions.all());
    }
    return count;
}

} // namespace flcc::job
