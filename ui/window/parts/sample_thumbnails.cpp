#include "ui/window/parts/sample_thumbnails.h"

#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/log.h"
#include "engine/sample/sample.h"
#include "ui/base/text.h"
#include "ui/document/document.h"
#include "ui/document/thumbnail.h"
#include "ui/open/start_page.h"
#include "ui/work/run_controller.h"

namespace flcc::ui {
namespace {

/// Made once in the life of the process: making a sample takes some tens of milliseconds.
/// **Threads**: any. **Errors**: as makeSample().
QImage thumbnailOfSample(std::string_view name) {
    static std::mutex lock;
    static std::map<std::string, QImage, std::less<>> pictures;
    const std::lock_guard guard(lock);
    const auto known = pictures.find(name);
    if (known != pictures.end()) {
        return known->second;
    }
    const sample::Sample made = sample::makeSample(name);
    return pictures.emplace(name, thumbnailOf(base::viewOf(made.scene), 320)).first->second;
}

} // namespace

void SampleThumbnails::request() {
    if (m_done || m_parts.document.hasScene() || m_parts.controller.isBusy()) {
        return;
    }
    m_parts.controller.start(
        RunController::Task::Preview, {},
        [this](const std::stop_token& stop, job::JobSink*) -> RunController::Done {
            std::vector<std::pair<QString, QImage>> pictures;
            for (const sample::SampleInfo& info : sample::sampleList()) {
                if (stop.stop_requested()) {
                    break;
                }
                try {
                    pictures.emplace_back(toQString(info.name), thumbnailOfSample(info.name));
                } catch (const std::exception& error) {
                    base::log(base::LogLevel::Warning, "no thumbnail of the sample " +
                                                           std::string(info.name) + ": " +
                                                           error.what());
                }
            }
            // If other work stopped this, the thumbnails are requested again.
            return [this, pictures, done = !stop.stop_requested()] {
                m_done = done;
                for (const auto& [name, picture] : pictures) {
                    m_parts.start.setThumbnail(name, picture);
                }
            };
        });
}

} // namespace flcc::ui
