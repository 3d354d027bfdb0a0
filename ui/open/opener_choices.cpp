#include <QDialog>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <system_error>

#include "ui/base/option_names.h"
#include "ui/base/settings.h"
#include "ui/base/text.h"
#include "ui/open/opener.h"
#include "ui/open/raw_dialog.h"
#include "ui/work/run_controller.h"

// What has to be asked before a file can be opened: which image of several, the meaning of its
// bytes, and whether several files are one stack.

namespace flcc::ui {
namespace {

void answer(const Opener::Then& then, bool opened) {
    if (then) {
        then(opened);
    }
}

} // namespace

bool Opener::isRawName(const std::filesystem::path& path) {
    std::error_code ignored;
    const QString extension = pathText(path.extension()).toLower();
    return std::filesystem::is_regular_file(path, ignored) &&
           rawExtensions().contains(extension.mid(1));
}

QStringList Opener::rawExtensions() {
    return {QStringLiteral("raw"), QStringLiteral("bin"), QStringLiteral("dat"),
            QStringLiteral("vol")};
}

void Opener::askRaw() {
    ask(
        QStringLiteral("raw"), tr("Open raw volume"), false,
        [this](const auto& files) { askLayout(files.front()); },
        tr("Raw voxels (*.%1);;All files (*)").arg(rawExtensions().join(QStringLiteral(" *."))));
}

void Opener::askLayout(const std::filesystem::path& file) {
    std::error_code error;
    const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(file, error));
    if (error || bytes == 0) {
        Q_EMIT failed(
            error ? tr("%1 cannot be read: %2").arg(pathText(file), toQString(error.message()))
                  : tr("%1 cannot be read: the file is empty").arg(pathText(file)));
        return;
    }
    auto* dialog = new RawDialog(file, bytes, m_controller, &m_window);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        const std::optional<base::Spacing> spacing = dialog->spacing();
        offerScenes({io::rawPath(dialog->volume())}, [this, spacing](bool opened) {
            if (opened && spacing) {
                m_document.setSpacing(spacing);
                m_document.undoStack().clear();
            }
        });
    });
    dialog->open();
}

void Opener::askImage(Target target, const std::filesystem::path& path,
                      const std::vector<io::ImageChoice>& images, const Choice& choice,
                      const Then& then) {
    std::error_code ignored;
    const bool series = std::filesystem::is_directory(path, ignored);
    auto* dialog = new QDialog(&m_window);
    dialog->setObjectName(QStringLiteral("imageDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(series ? tr("Which series?") : tr("Which dataset?"));
    auto* column = new QVBoxLayout(dialog);
    auto* text = new QLabel(
        (series ? tr("The folder %1 holds %2 series.") : tr("The file %1 holds %2 datasets."))
            .arg(pathText(path.has_filename() ? path.filename() : path))
            .arg(images.size()),
        dialog);
    text->setWordWrap(true);
    column->addWidget(text);
    auto* list = new QTreeWidget(dialog);
    list->setObjectName(QStringLiteral("imageList"));
    list->setAccessibleName(series ? tr("Series") : tr("Datasets"));
    list->setToolTip(tr("Choose one and press Return, or double-click it"));
    list->setRootIsDecorated(false);
    list->setHeaderLabels(series
                              ? QStringList{tr("Description"), tr("Slices"), tr("Size"), tr("Kind")}
                              : QStringList{tr("Path"), tr("Size (x first)"), tr("Type")});
    for (const io::ImageChoice& image : images) {
        QStringList cells{toQString(image.name)};
        if (series) {
            cells << QString::number(image.count);
        }
        cells << toQString(image.sizes).replace(QChar('x'), QStringLiteral(" × "))
              << toQString(image.kind);
        list->addTopLevelItem(new QTreeWidgetItem(cells));
    }
    list->setCurrentItem(list->topLevelItem(0));
    list->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    list->setMinimumSize(460, 180);
    column->addWidget(list);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel, dialog);
    buttons->button(QDialogButtonBox::Open)->setObjectName(QStringLiteral("imageOpen"));
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    connect(list, &QTreeWidget::itemActivated, dialog, &QDialog::accept);
    connect(dialog, &QDialog::accepted, this, [this, list, images, target, choice, then] {
        const int row = list->indexOfTopLevelItem(list->currentItem());
        if (row >= 0) {
            open(target, images[static_cast<std::size_t>(row)].path, choice, then);
        } else {
            answer(then, false);
        }
    });
    connect(dialog, &QDialog::rejected, this, [then] { answer(then, false); });
    list->setFocus();
    dialog->open();
}

void Opener::offerStack(const std::vector<std::filesystem::path>& paths) {
    const std::vector<SceneEntry>& scenes = m_document.scenes();
    const SceneEntry& first = scenes.front();
    const bool alike = std::ranges::all_of(scenes, [&first](const SceneEntry& each) {
        return each.extents == first.extents && each.type == first.type;
    });
    if (paths.size() == scenes.size() && alike && first.extents.z == 1 && !first.channel &&
        !first.frame && !first.reading.image) {
        Q_EMIT stackOffered(tr("%1 files were opened as a list of scenes. All have %2 of "
                               "%3, so they can be the slices of one stack.")
                                .arg(paths.size())
                                .arg(sizeText(first.extents), toQString(base::name(first.type))),
                            paths);
    }
}

void Opener::openStack(const std::vector<std::filesystem::path>& paths) {
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
