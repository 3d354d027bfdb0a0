#include "ui/results/exporter.h"

#include <QDir>
#include <QPixmap>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "engine/base/error.h"
#include "engine/io/atomic_file.h"
#include "engine/io/drawing.h"
#include "engine/io/heatmap_file.h"
#include "engine/io/image_file.h"
#include "engine/io/peak_file.h"
#include "engine/job/any_job.h"
#include "engine/job/exports.h"
#include "engine/job/mask_shape.h"
#include "ui/base/focused_field.h"
#include "ui/base/save_dialog.h"
#include "ui/base/settings.h"
#include "ui/base/text.h"
#include "ui/match/match_flow.h"
#include "ui/plan/job_text.h"
#include "ui/results/peaks_export_dialog.h"
#include "ui/results/result_images.h"
#include "ui/views/views_panel.h"
#include "ui/work/run_controller.h"

namespace flcc::ui {
namespace {

/// The files that no export may replace. Call it on the background thread: it reads headers.
io::ProtectedFiles inputsOf(const job::Job& job, const std::filesystem::path& jobFile) {
    io::ProtectedFiles files = job::inputFiles(job);
    files.add(jobFile);
    return files;
}

} // namespace

Exporter::Exporter(Document& document, RunController& controller, MatchFlow& flow,
                   ViewsPanel& views, QWidget& window)
    : QObject(&window), m_document(document), m_controller(controller), m_flow(flow),
      m_views(views), m_window(window) {}

/// The job of the window, also with the scenes that are kept beside a binned one.
job::Job Exporter::jobWithAllScenes() const {
    job::Job job = m_flow.currentJob();
    for (std::size_t i = m_document.searchedScenes(); i < m_document.scenes().size(); ++i) {
        job.furtherScenes.push_back(m_document.scenes()[i].path);
    }
    return job;
}

io::ProtectedFiles Exporter::inputs() const {
    return inputsOf(jobWithAllScenes(), m_document.jobFile());
}

const ResultEntry* Exporter::requireResult() {
    const ResultEntry* result = m_document.result();
    // A cancelled run has only a map. A run with templates of different extents has only peaks.
    if (result == nullptr || (!result->job->map && !result->job->report.run)) {
        Q_EMIT failed(tr("There is no result to export: press Run first."));
        return nullptr;
    }
    if (!job::isVerified(result->job->report)) {
        Q_EMIT failed(tr("This partial GPU result cannot be exported because it is not verified: "
                         "press Run and let the run finish."));
        return nullptr;
    }
    return result;
}

const ResultEntry* Exporter::requireMap() {
    const ResultEntry* result = requireResult();
    if (result != nullptr && result->mapReleased) {
        Q_EMIT failed(tr("The map of this result was released for newer ones: press Run to compute "
                         "it again."));
        return nullptr;
    }
    if (result != nullptr && !result->job->map) {
        Q_EMIT failed(tr("There is no map to export: templates of several sizes give peaks only."));
        return nullptr;
    }
    return result;
}

void Exporter::askOfResult(const QString& title, const QString& name, const QString& filters,
                           std::function<void(const std::filesystem::path&)> then) {
    const ResultEntry* result = m_document.result();
    const bool unfinished = result != nullptr && job::isUnfinished(result->job->report);
    ask(title, unfinished ? QStringLiteral("unfinished-") + name : name, filters, std::move(then));
}

void Exporter::ask(const QString& title, const QString& name, const QString& filters,
                   std::function<void(const std::filesystem::path&)> then) {
    askFileName(&m_window,
                {.title = title,
                 .filter = filters,
                 .name = "exportDialog",
                 .file = name,
                 .folder = "export"},
                [call = std::move(then)](const QString& file) {
                    Settings::rememberFolder(QStringLiteral("export"), file);
                    call(toPath(file));
                });
}

void Exporter::write(const std::filesystem::path& path, const Write& write, bool mayReplaceJob,
                     const std::function<void()>& then) {
    m_controller.start(RunController::Task::Export, tr("Writing %1").arg(pathText(path.filename())),
                       [this, path, write, then, job = jobWithAllScenes(),
                        jobFile = mayReplaceJob ? std::filesystem::path() : m_document.jobFile()](
                           const std::stop_token& stop, job::JobSink*) -> RunController::Done {
                           inputsOf(job, jobFile).requireOther(path);
                           io::AtomicFile file(path);
                           const Notes dropped = write(file, stop);
                           if (!dropped) {
                               return {};
                           }
                           file.commit();
                           QString sentence = tr("Saved %1.").arg(pathText(path));
                           for (const std::string& each : *dropped) {
                               sentence += QChar(' ') + toQString(each);
                           }
                           return [this, sentence, then] {
                               Q_EMIT saved(sentence);
                               if (then) {
                                   then();
                               }
                           };
                       });
}

std::vector<ResultEntry> Exporter::shownRun() const {
    const ResultEntry& shown = *m_document.result();
    std::vector<ResultEntry> all;
    std::ranges::copy_if(m_document.results(), std::back_inserter(all), [&](const auto& each) {
        return shown.run == 0 ? each.job == shown.job : each.run == shown.run;
    });
    return all;
}

void Exporter::writeScenes(const std::filesystem::path& path, const WriteOf& writeOf, Of what) {
    std::vector<ResultEntry> results = shownRun();
    if (what == Of::Maps) {
        std::erase_if(results, [](const ResultEntry& each) { return each.mapReleased; });
    }
    if (results.front().run == 0) {
        write(path, [result = results.front(), writeOf](const auto& file, const auto& stop) {
            return withWarning(writeOf(result, file, stop), *result.job);
        });
        return;
    }
    const auto nameOf = [path](const ResultEntry& result) {
        return job::numberedOutput(path,
                                   static_cast<std::size_t>(result.job->report.stream->scene));
    };
    m_controller.start(
        RunController::Task::Export,
        tr("Writing %1").arg(pathText(nameOf(results.front()).filename())),
        [this, results, nameOf, writeOf, job = jobWithAllScenes(), jobFile = m_document.jobFile()](
            const std::stop_token& stop, job::JobSink*) -> RunController::Done {
            const io::ProtectedFiles inputs = inputsOf(job, jobFile);
            for (const ResultEntry& result : results) {
                inputs.requireOther(nameOf(result));
            }
            std::vector<std::unique_ptr<io::AtomicFile>> files;
            QStringList sentences{tr("Saved %1 files, %2 to %3.")
                                      .arg(QString::number(results.size()),
                                           pathText(nameOf(results.front())),
                                           pathText(nameOf(results.back()).filename()))};
            for (const ResultEntry& result : results) {
                files.push_back(std::make_unique<io::AtomicFile>(nameOf(result)));
                const Notes dropped =
                    withWarning(writeOf(result, *files.back(), stop), *result.job);
                if (!dropped) {
                    return {};
                }
                for (const std::string& each : *dropped) {
                    if (!sentences.contains(toQString(each))) {
                        sentences << toQString(each);
                    }
                }
            }
            io::AtomicFile::commitAll(files);
            return [this, sentence = sentences.join(QChar(' '))] { Q_EMIT saved(sentence); };
        });
}

void Exporter::scene() {
    if (!m_document.hasScene()) {
        Q_EMIT failed(tr("There is no scene to save: open a scene first."));
        return;
    }
    ask(tr("Export scene"), QStringLiteral("scene.mha"), imageFilters(),
        [this](const std::filesystem::path& path) { writeScene(path); });
}

void Exporter::writeScene(const std::filesystem::path& path) {
    const auto image = m_document.scene().image;
    if (!image) {
        Q_EMIT failed(tr("There is no scene to save: open a scene first."));
        return;
    }
    write(
        path,
        [image, geometry = m_document.geometry()](const io::AtomicFile& file,
                                                  const std::stop_token& stop) {
            return io::writeImage(file, base::viewOf(image->pixels), geometry, {}, stop);
        },
        false, [this, image, path] { m_document.setSceneFile(image, path); });
}

void Exporter::peaks() {
    const ResultEntry* result = requireResult();
    if (result == nullptr) {
        return;
    }
    auto* dialog =
        new PeaksExportDialog(shownList(*result, {}, {}), m_flow.currentJob().peaksUnknowns,
                              static_cast<int>(shownRun().size()), &m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        const io::ListFormatInfo& info = io::infoOf(dialog->format());
        io::ListUnknowns facts = dialog->unknowns();
        facts.tomogram.clear(); // the others are for the next list, maybe of another scene
        m_flow.setPeaksUnknowns(facts);
        const QString extension = toQString(std::string(info.extension));
        askOfResult(tr("Export peaks"), QStringLiteral("peaks") + extension,
                    QStringLiteral("%1 (*%2)").arg(toQString(std::string(info.title)), extension),
                    [this, format = info.format, unknowns = dialog->unknowns(),
                     only = dialog->only(),
                     joined = dialog->joined()](const std::filesystem::path& path) {
                        writePeaks(path, format, unknowns, only, joined);
                    });
    });
    dialog->open();
}

std::vector<match::Peak> Exporter::shownPeaks(const ResultEntry& entry) const {
    const PeakChoice& choice = m_document.peakChoice();
    const bool shown = entry.job == m_document.result()->job;
    std::vector<match::Peak> peaks;
    for (const int index : shown ? choice.shown : std::vector<int>{}) {
        peaks.push_back(entry.job->peaks[static_cast<std::size_t>(index)]);
    }
    if (!shown) {
        std::ranges::copy_if(
            entry.job->peaks, std::back_inserter(peaks),
            [&](const match::Peak& peak) { return isListed(entry, peak, choice.minScore); });
    }
    return peaks;
}

io::PositionList Exporter::shownList(const ResultEntry& entry, const io::ListUnknowns& unknowns,
                                     const std::vector<match::Decision>& only) const {
    const std::vector<match::Peak> peaks = shownPeaks(entry);
    io::PeakContext context = peakContext(entry);
    context.unknowns = unknowns;
    io::PositionList list = entry.decisions.all().empty()
                                ? io::peakList(peaks, context)
                                : io::peakList(peaks, entry.decisions.of(peaks), context);
    if (!only.empty()) {
        io::leaveDecided(list, only);
    }
    return list;
}

void Exporter::writePeaks(const std::filesystem::path& path, io::ListFormat format,
                          const io::ListUnknowns& unknowns,
                          const std::vector<match::Decision>& only, bool joined) {
    if (requireResult() != nullptr) {
        const PeakChoice& choice = m_document.peakChoice();
        std::size_t all = 0;
        std::size_t chosen = 0;
        // Lists are made here: the choice may change while files are written.
        std::map<const job::JobResult*, io::PositionList> lists;
        std::vector<io::PositionList> inOrder;
        for (const ResultEntry& each : shownRun()) {
            all += each.job->peaks.size();
            const auto& list = lists[each.job.get()] = shownList(each, unknowns, only);
            chosen += list.positions.size();
            inOrder.push_back(list);
        }
        QString what = peaksText(static_cast<std::int64_t>(all));
        if (chosen < all) {
            what = tr("%1 of %2, those %3")
                       .arg(chosen)
                       .arg(what, !only.empty() ? tr("chosen by decision")
                                  : choice.filtered
                                      ? tr("shown in the table")
                                      : tr("at or above %1").arg(choice.minScore, 0, 'f', 3));
        }
        if (joined) {
            return write(path, [inOrder, what, format](const auto& file, const auto&) {
                io::writeJoinedList(file, inOrder, format);
                return std::optional(std::vector{what.toStdString() + "."});
            });
        }
        writeScenes(path, [lists, what, format](const ResultEntry& entry, const auto& file,
                                                const std::stop_token&) {
            const io::PositionList& list = lists.at(entry.job.get());
            const io::ListFormat written =
                io::chosenListFormat(format, file.target(), "--peaks-format");
            io::writeList(file, list, written);
            std::vector<std::string> sentences{what.toStdString() + "."};
            for (const std::string& note : io::listNotes(list, written)) {
                sentences.push_back(note + ".");
            }
            return std::optional(sentences);
        });
    }
}

void Exporter::map() {
    if (requireMap() != nullptr) {
        askOfResult(tr("Export map"), QStringLiteral("map.mha"), imageFilters(),
                    [this](const std::filesystem::path& path) { writeMap(path); });
    }
}

void Exporter::writeMap(const std::filesystem::path& path) {
    if (requireMap() != nullptr) {
        writeScenes(
            path,
            [](const ResultEntry& result, const auto& file, const std::stop_token& stop) {
                const job::JobResult& job = *result.job;
                return io::writeImage(file, method::scoresOf(*job.map), job.mapGeometry,
                                      metadataOf(job), stop);
            },
            Of::Maps);
    }
}

void Exporter::status() {
    if (requireMap() != nullptr) {
        askOfResult(tr("Export status"), QStringLiteral("status.mha"), imageFilters(),
                    [this](const std::filesystem::path& path) { writeStatus(path); });
    }
}

void Exporter::writeStatus(const std::filesystem::path& path) {
    if (requireMap() != nullptr) {
        writeScenes(
            path,
            [](const ResultEntry& result, const auto& file, const std::stop_token& stop) {
                const base::AnyImage bytes = statusBytes(*result.job->map);
                return io::writeImage(file, base::viewOf(bytes), result.job->mapGeometry,
                                      metadataOf(*result.job), stop);
            },
            Of::Maps);
    }
}

void Exporter::index() {
    if (requireMap() != nullptr) {
        askOfResult(tr("Export index of templates"), QStringLiteral("index.mha"), imageFilters(),
                    [this](const std::filesystem::path& path) { writeIndex(path); });
    }
}

void Exporter::writeIndex(const std::filesystem::path& path) {
    const ResultEntry* result = requireMap();
    if (result != nullptr && !result->job->index) {
        Q_EMIT failed(tr("There is no template index to export: only one template was used."));
    } else if (result != nullptr) {
        writeScenes(
            path,
            [](const ResultEntry& entry, const auto& file, const std::stop_token& stop) {
                const job::JobResult& job = *entry.job;
                return io::writeImage(file, job.index->view(), job.mapGeometry, metadataOf(job),
                                      stop);
            },
            Of::Maps);
    }
}

void Exporter::heatmap() {
    if (requireMap() != nullptr) {
        askOfResult(tr("Export heatmap"), QStringLiteral("heatmap.png"), tr("PNG (*.png)"),
                    [this](const std::filesystem::path& path) { writeHeatmap(path); });
    }
}

void Exporter::writeHeatmap(const std::filesystem::path& path) {
    if (requireMap() != nullptr) {
        writeScenes(
            path,
            [z = shownSlice(), scale = m_views.mapScale(), values = m_views.shownValues()](
                const ResultEntry& entry, const auto& file, const std::stop_token& stop) {
                const bool scores = values == SearchValues::Score || !entry.job->search;
                const auto map = scores ? entry.job->map : mapOfValues(*entry.job, values, stop);
                const bool written = map && io::writeHeatmap(file, map->value.view(),
                                                             map->status.view(), z, scale, stop);
                return written ? std::optional(std::vector<std::string>{}) : std::nullopt;
            },
            Of::Maps);
    }
}

void Exporter::report() {
    if (!m_flow.report()) {
        Q_EMIT failed(tr("There is no plan report yet: press Plan or Run first."));
        return;
    }
    askOfResult(tr("Export plan report"), QStringLiteral("report.json"),
                tr("JSON (*.json);;Page with pictures (*.html);;Text (*.txt)"),
                [this](const std::filesystem::path& path) { writeReport(path); });
}

void Exporter::writeReport(const std::filesystem::path& path) {
    if (!m_flow.report()) {
        Q_EMIT failed(tr("There is no plan report yet: press Plan or Run first."));
        return;
    }
    const auto text = [](const job::JobReport& report, const io::AtomicFile& file) {
        io::writeText(file, file.target().extension() == ".txt"    ? job::toText(report)
                            : file.target().extension() == ".html" ? job::toHtml(report)
                                                                   : job::toJson(report));
        return std::optional(std::vector<std::string>{});
    };
    const ResultEntry* const shown = m_document.result();
    const bool page = path.extension() == ".html" && shown != nullptr && shown->job->report.run &&
                      shown->job->report.frames.empty() && job::isVerified(shown->job->report);
    if (page || (m_flow.report()->stream && shown != nullptr)) {
        writeScenes(path, [text, page, scenes = m_document.scenes(),
                           threshold = m_document.peakChoice().minScore](
                              const ResultEntry& result, const auto& file, const auto& stop) {
            if (page) {
                const job::JobResult drawn = drawable(result, scenes, stop);
                io::writeText(file, job::toHtml(drawn, threshold));
                return std::optional(std::vector<std::string>{});
            }
            return text(judgedReport(result), file);
        });
        return;
    }
    // The list of the shown result may have been changed and judged since its run.
    const bool ofShown = shown != nullptr && shown->job->report.run && m_flow.report()->run &&
                         shown->job->report.commandLine == m_flow.report()->commandLine;
    write(path,
          [text, report = ofShown ? judgedReport(*shown) : *m_flow.report()](
              const io::AtomicFile& file, const std::stop_token&) { return text(report, file); });
}

void Exporter::figure() {
    if (requireMap() != nullptr) {
        askOfResult(tr("Export figure"), QStringLiteral("figure.png"),
                    tr("PNG, 300 dpi (*.png);;SVG (*.svg);;PDF (*.pdf)"),
                    [this](const std::filesystem::path& path) { writeFigure(path); });
    }
}

void Exporter::writeFigure(const std::filesystem::path& path) {
    if (requireMap() == nullptr) {
        return;
    }
    writeScenes(
        path,
        [z = shownSlice(), scenes = m_document.scenes()](const ResultEntry& result,
                                                         const auto& file, const auto& stop) {
            io::writeDrawing(file, job::drawingOf(drawable(result, scenes, stop), z));
            return std::optional(std::vector<std::string>{});
        },
        Of::Maps);
}

/// The slice of the map that is in view, clamped to its slices.
std::int64_t Exporter::shownSlice() const {
    const job::JobResult& job = *m_document.result()->job;
    const std::int64_t slices = job.map->value.extents().z;
    const auto depth = static_cast<double>(job.templates.front()->extents().z - 1);
    const double first = static_cast<double>(job.mapCorner.z) + depth / 2;
    return static_cast<std::int64_t>(
        std::clamp(std::floor(std::round(m_views.crosshair()[2]) - first + 0.5), 0.0,
                   static_cast<double>(slices - 1)));
}

void Exporter::screenshot() {
    ask(tr("Save screenshot"), QStringLiteral("views.png"), tr("PNG (*.png)"),
        [this](const std::filesystem::path& path) { writeScreenshot(path); });
}

void Exporter::writeScreenshot(const std::filesystem::path& path) {
    write(path, [picture = m_views.grab().toImage().convertToFormat(QImage::Format_RGBA8888)](
                    const io::AtomicFile& file, const std::stop_token&) {
        io::writePicture(file, {picture.constBits(), picture.width(), picture.height()});
        return std::optional(std::vector<std::string>{});
    });
}

void Exporter::cleanScreenshot() {
    ask(tr("Save clean screenshot"), QStringLiteral("view.png"), tr("PNG (*.png)"),
        [this](const std::filesystem::path& path) {
            write(path, [picture = m_views.cleanSnapshot()](const io::AtomicFile& file,
                                                            const std::stop_token&) {
                io::writePicture(file, {picture.rgba.data(), picture.width, picture.height});
                return std::optional(std::vector<std::string>{});
            });
        });
}

void Exporter::saveTemplate() {
    if (!m_document.templ()) {
        Q_EMIT failed(tr("There is no template to save: cut one (Ctrl+T) or open one first."));
        return;
    }
    ask(tr("Save template"), QStringLiteral("template.mha"), imageFilters(),
        [this](const std::filesystem::path& path) { writeTemplate(path); });
}

void Exporter::writeTemplate(const std::filesystem::path& path) {
    if (!m_document.templ()) {
        Q_EMIT failed(tr("There is no template to save: cut one (Ctrl+T) or open one first."));
        return;
    }
    std::map<std::string, std::string> metadata;
    const TemplateEntry& templ = *m_document.templ();
    if (templ.crop) {
        metadata["flcc_box"] = base::toString(*templ.crop);
        metadata["flcc_source"] = m_document.scenes().front().image->source;
    }
    write(path, [image = templ.image, geometry = m_document.geometryOf(templ),
                 metadata](const io::AtomicFile& file, const std::stop_token& stop) {
        auto sentences =
            io::writeImage(file, base::viewOf(image->pixels), geometry, metadata, stop);
        if (sentences && image->opacity) {
            sentences->push_back(
                tr("its opacity is not stored; save its mask, too (File > Save mask)")
                    .toStdString());
        }
        return sentences;
    });
}

std::optional<MaskEntry> Exporter::requireMask(bool scene) {
    const MaskEntry* mask = m_document.mask();
    if (scene ? m_document.sceneMask().has_value() : mask != nullptr) {
        return scene ? m_document.sceneMask() : std::optional(*mask);
    }
    Q_EMIT failed(tr("There is no mask to save: draw one with the tool Mask (6), or open one."));
    return std::nullopt;
}

void Exporter::saveMask(bool scene) {
    if (requireMask(scene)) {
        ask(scene ? tr("Save mask of scene") : tr("Save mask"),
            scene ? QStringLiteral("scene-mask.mha") : QStringLiteral("mask.mha"), imageFilters(),
            [this, scene](const std::filesystem::path& path) { writeMask(path, scene); });
    }
}

void Exporter::writeMask(const std::filesystem::path& path, bool scene) {
    const auto mask = requireMask(scene);
    if (!mask) {
        return;
    }
    const TemplateEntry* templ = m_document.templ();
    const auto image = scene || templ == nullptr ? m_document.scene().image : templ->image;
    write(
        path,
        [mask = *mask, image](const io::AtomicFile& file, const std::stop_token& stop) {
            const auto& support = mask.image->support;
            const auto& weights = mask.image->weights;
            return io::writeImage(file,
                                  weights.empty() ? base::AnyView(support.view())
                                                  : base::AnyView(weights.view()),
                                  image->geometry, {}, stop);
        },
        false, [this, image = mask->image, path] { m_document.setMaskFile(image, path); });
}

void Exporter::saveJob() {
    commitFocusedField();
    if (const QString reason = reasonAgainstJobFile(m_document); !reason.isEmpty()) {
        Q_EMIT failed(reason);
        return;
    }
    ask(tr("Save job"), QStringLiteral("job.json"), tr("Job (*.json)"),
        [this](const std::filesystem::path& path) { writeJob(path); });
}

void Exporter::writeJob(const std::filesystem::path& path) {
    // The job file that was loaded may be saved again.
    write(
        path,
        [text = job::toJobFile(m_flow.currentJob())](const io::AtomicFile& file,
                                                     const std::stop_token&) {
            io::writeText(file, text);
            return std::optional(std::vector<std::string>{});
        },
        true);
}

} // namespace flcc::ui
