#include "ui/open/stack_files.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "ui/base/option_names.h"
#include "ui/base/text.h"
#include "ui/document/document.h"
#include "ui/work/run_controller.h"

namespace flcc::ui {

void StackFiles::offer(const std::vector<std::filesystem::path>& paths) {
    const std::vector<SceneEntry>& scenes = m_document.scenes();
    const SceneEntry& first = scenes.front();
    const bool alike = std::ranges::all_of(scenes, [&first](const SceneEntry& each) {
        return each.extents == first.extents && each.type == first.type;
    });
    if (paths.size() == scenes.size() && alike && first.extents.z == 1 && !first.channel &&
        !first.frame && !first.reading.image && !first.reading.part) {
        Q_EMIT offered(tr("%1 files were opened as a list of scenes. All have %2 of "
                          "%3, so they can be the slices of one stack.")
                           .arg(paths.size())
                           .arg(sizeText(first.extents), toQString(base::name(first.type))),
                       paths);
    }
}

void StackFiles::open(const std::vector<std::filesystem::path>& paths) {
    m_controller.start(
        RunController::Task::Load, tr("Opening a stack of %1 files").arg(paths.size()),
        [this, paths, reading = m_document.scenes().front().reading](
            const std::stop_token& stop, job::JobSink*) -> RunController::Done {
            try {
                auto stack = std::make_shared<job::SceneImage>();
                for (std::size_t i = 0; i < paths.size(); ++i) {
                    const auto slice = job::loadImage(paths[i], {}, {}, stop, 0, reading);
                    if (stop.stop_requested()) {
                        return {};
                    }
                    const base::Extents n = base::extentsOf(slice->pixels);
                    const base::PixelType type = base::pixelType(slice->pixels);
                    if (i == 0) {
                        stack->pixels = base::makeImage(
                            type, {n.x, n.y, static_cast<std::int64_t>(paths.size())});
                        stack->geometry = slice->geometry;
                        stack->note = slice->note;
                    }
                    const base::Extents whole = base::extentsOf(stack->pixels);
                    if (n != base::Extents{whole.x, whole.y, 1} ||
                        type != base::pixelType(stack->pixels)) {
                        return [this, name = pathText(paths[i].filename())] {
                            Q_EMIT failed(
                                tr("%1 is not like the files before it, so it cannot be a slice of "
                                   "their stack.")
                                    .arg(name));
                        };
                    }
                    std::visit(
                        [&](auto& voxels) {
                            using Image = std::remove_cvref_t<decltype(voxels)>;
                            const auto& from = std::get<Image>(slice->pixels);
                            std::copy(from.data(), from.data() + from.count(),
                                      voxels.data() + static_cast<std::int64_t>(i) * from.count());
                        },
                        stack->pixels);
                }
                const QString name = tr("stack of %1 files").arg(paths.size());
                stack->source = name.toStdString();
                return [this, stack, name, origin = paths.front()] {
                    SceneEntry entry;
                    entry.image = stack;
                    entry.name = name;
                    entry.made = true;
                    entry.origin = origin;
                    m_document.setScene(std::move(entry));
                    Q_EMIT opened(announcement(name, *stack, stack->geometry));
                };
            } catch (const std::bad_alloc&) {
                throw; // reported by the controller, which allocates nothing for that
            } catch (const std::exception& error) {
                return [this, sentence = inWindowWords(error)] { Q_EMIT failed(sentence); };
            }
        });
}

} // namespace flcc::ui
