#include "ui/batch/batch_job.h"

#include <QCoreApplication>

#include "engine/base/error.h"
#include "engine/io/atomic_file.h"
#include "engine/io/image_file.h"
#include "engine/job/any_job.h"
#include "engine/job/mask_shape.h"

namespace flcc::ui {
namespace {

namespace fs = std::filesystem;

QString say(const char* text) { return QCoreApplication::translate("flcc::ui::BatchDialog", text); }

/// The file of an image, which is written if there is none.
fs::path written(const base::AnyView& pixels, const base::Geometry& geometry, const fs::path& own,
                 const fs::path& file) {
    if (!own.empty()) {
        return own;
    }
    (void)io::writeImage(file, pixels, geometry);
    return file;
}

fs::path writtenMask(const MaskEntry& mask, const base::Geometry& geometry, const fs::path& file) {
    const bool weighted = !mask.image->weights.empty();
    return written(weighted ? base::AnyView(mask.image->weights.view())
                            : base::AnyView(mask.image->support.view()),
                   geometry, mask.path, file);
}

} // namespace

job::Batch batchOf(const BatchInputs& from) {
    if (from.inputs.templates.empty()) {
        throw base::Error(base::ErrorCode::Problem,
                          say("there is no template: cut or open one, which is searched in every "
                              "file")
                              .toStdString());
    }
    job::Batch batch;
    job::Job& job = batch.job = from.job.asked();
    const auto name = [&](const char* word, std::size_t number) {
        return from.folder / (word + std::to_string(number) + ".mha");
    };
    job.scene.clear();
    job.furtherScenes.clear();
    job.crops.clear();
    job.templates.clear();
    for (std::size_t i = 0; i < from.inputs.templates.size(); ++i) {
        const TemplateEntry& templ = from.inputs.templates[i];
        const bool inFile = !templ.path.empty() && !templ.resampled;
        job.templates.push_back(written(base::viewOf(templ.image->pixels), templ.image->geometry,
                                        inFile ? templ.path : fs::path(), name("template-", i)));
    }
    job.masks.clear();
    for (std::size_t i = 0; i < from.inputs.masks.size(); ++i) {
        const std::size_t of = std::min(i, from.inputs.templates.size() - 1);
        job.masks.push_back(writtenMask(
            from.inputs.masks[i], from.inputs.templates[of].image->geometry, name("mask-", i)));
    }
    if (from.inputs.sceneMask) {
        job.sceneMask =
            writtenMask(*from.inputs.sceneMask, from.scene, from.folder / "scene-mask.mha");
    }
    job.peaks = from.folder / "{scene}-peaks.csv";
    job.map = from.maps ? from.folder / "{scene}-map.mha" : fs::path();
    batch.files = from.files;
    batch.peaks = from.folder / "all-peaks.csv";
    batch.queue = from.folder / "queue.jsonl";
    batch.goOn = true;
    io::writeText(from.folder / "job.json", job::toJobFile(job));
    return batch;
}

} // namespace flcc::ui
