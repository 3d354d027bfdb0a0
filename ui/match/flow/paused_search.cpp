#include "ui/match/flow/paused_search.h"

#include <QCoreApplication>

#include <algorithm>
#include <string>

#include "engine/base/error.h"
#include "engine/io/atomic_file.h"
#include "engine/io/image_file.h"
#include "engine/job/any_job.h"
#include "ui/base/option_names.h"
#include "ui/base/text.h"

namespace flcc::ui {
namespace {

using std::filesystem::path;

QString saidOf(const char* text) {
    return QCoreApplication::translate("flcc::ui::PausedSearch", text);
}

/// Gives a job files for its images that are in none.
class ImageKeeper {
  public:
    ImageKeeper(job::Job& job, const job::JobImages& images, const std::stop_token& stop)
        : m_job(job), m_images(images), m_stop(stop) {}

    /// False for images that files of one channel without opacity cannot hold.
    [[nodiscard]] bool keep() { return keepScenes() && keepTemplates() && keepMasks(); }

  private:
    [[nodiscard]] path write(const std::string& name, const base::AnyView& pixels,
                             const base::Geometry& geometry) const {
        path file = m_job.resume / ("search-" + name + ".nrrd");
        (void)io::writeImage(file, pixels, geometry, {}, m_stop);
        return file;
    }

    [[nodiscard]] path write(const std::string& name, const job::SceneImage& image) const {
        return write(name, base::viewOf(image.pixels), image.geometry);
    }

    [[nodiscard]] path write(const std::string& name, const job::MaskImage& mask,
                             const base::Geometry& geometry) const {
        return write(name,
                     mask.weights.empty() ? base::AnyView(mask.support.view())
                                          : base::AnyView(mask.weights.view()),
                     geometry);
    }

    bool keepScenes() {
        if (m_job.scene.empty()) {
            if (m_images.scene->channels > 0) {
                return false;
            }
            m_job.scene = write("scene", *m_images.scene);
            m_job.channel.reset();
            m_job.frame.reset();
            m_job.reading = {};
        }
        for (std::size_t i = 0; i < m_job.furtherScenes.size(); ++i) {
            if (m_job.furtherScenes[i].empty()) {
                m_job.furtherScenes[i] =
                    write("scene-" + std::to_string(i + 1), *m_images.furtherScenes[i]);
            }
        }
        return true;
    }

    /// Either all templates are in files or crops, or all are written, in their order.
    bool keepTemplates() {
        const auto& templates = m_images.templates;
        if (m_job.crops.size() + m_job.templates.size() == templates.size()) {
            return true;
        }
        m_job.crops.clear();
        m_job.templates.clear();
        m_job.resample = false;
        for (std::size_t i = 0; i < templates.size(); ++i) {
            if (templates[i]->opacity != nullptr || templates[i]->channels > 0) {
                return false;
            }
            m_job.templates.push_back(write("template-" + std::to_string(i), *templates[i]));
        }
        return true;
    }

    bool keepMasks() {
        for (std::size_t i = 0; i < m_job.masks.size(); ++i) {
            if (m_job.masks[i].empty()) {
                const std::size_t templ = m_job.masks.size() > 1 ? i : 0;
                m_job.masks[i] = write("mask-" + std::to_string(i), *m_images.masks[i],
                                       m_images.templates[templ]->geometry);
            }
        }
        if (m_images.sceneMask && m_job.sceneMask.empty()) {
            m_job.sceneMask = write("scene-mask", *m_images.sceneMask, m_images.scene->geometry);
        }
        return true;
    }

    job::Job& m_job;
    const job::JobImages& m_images;
    const std::stop_token& m_stop;
};

} // namespace

QString keepJob(const job::Job& job, const job::JobImages& images, const std::stop_token& stop) {
    const path file = job.resume / "search.json";
    try {
        std::filesystem::create_directories(job.resume);
        job::Job kept = job;
        if (!ImageKeeper(kept, images, stop).keep()) {
            return saidOf("Keep this program open: the images have channels or opacity, and are in "
                          "no file that another start could read.");
        }
        io::writeText(file, job::toJobFile(kept));
    } catch (const std::filesystem::filesystem_error& error) {
        return toQString(error.what());
    } catch (const base::Error& error) {
        return inWindowWords(error);
    }
    return saidOf("After a restart of the program load %1 first (File > Load job).")
        .arg(pathText(file));
}

} // namespace flcc::ui
