// fuzz_seeds FOLDER: writes small valid files of every format, a folder a fuzzer.

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include "engine/base/error.h"
#include "engine/io/image_file.h"
#include "engine/io/list_file.h"
#include "engine/job/any_job.h"
#include "engine/job/job.h"
#include "engine/plan/knowledge.h"
#include "tests/engine/io/fixtures.h"
#include "tests/fuzz/seeds.h"

namespace base = flcc::base;
namespace fuzz = flcc::fuzz;
namespace io = flcc::io;
namespace test = flcc::test;

namespace {

using base::PixelType;

/// What the program itself writes: one image a type that the format can hold, in 2D and, where it
/// can, in 3D.
void writeImages(const std::filesystem::path& folder, const std::string& extension) {
    for (const PixelType type : {PixelType::UInt8, PixelType::Int16, PixelType::UInt16,
                                 PixelType::Int32, PixelType::Float32, PixelType::Float64}) {
        for (const base::Extents& extents : {base::Extents{7, 5, 1}, base::Extents{5, 4, 3}}) {
            const std::filesystem::path path =
                folder /
                (std::string(base::name(type)) + "-" + std::to_string(extents.z) + "." + extension);
            const base::AnyImage image = test::patternImage(type, extents);
            try {
                io::writeImage(path, base::viewOf(image), {});
            } catch (const base::Error&) { // the format cannot hold it
            }
        }
    }
}

void writeJobs(const std::filesystem::path& folder) {
    flcc::job::Job job;
    job.scene = "scene.mha";
    job.templates = {"template.mha"};
    job.map = "map.nrrd";
    test::writeFile(folder / "files.json", flcc::job::toJobFile(job));
    job.furtherScenes = {"b.mha", "c.mha"};
    job.crops = {{{1, 2, 0}, {3, 4, 1}}, {{5, 6, 7}, {8, 9, 10}}};
    job.masks = {"mask.mha"};
    job.sceneMask = "scene-mask.mha";
    job.channel = 1;
    job.frame = 2;
    job.region = base::Box{{1, 1, 1}, {20, 20, 20}};
    job.extent = flcc::method::Extent::Full;
    job.outside = flcc::method::Outside::Overlap;
    job.minOverlap = 0.25;
    job.method = "tiled";
    job.tile = {64, 32, 16};
    job.promise = 1e-6;
    job.memoryBytes = std::int64_t{4} << 30;
    job.minDistance = 2.5;
    job.peaks = "peaks.csv";
    job.report = "report.json";
    test::writeFile(folder / "options.json", flcc::job::toJobFile(job));
    flcc::job::JobReport report;
    report.scene = {64, 64, 1};
    test::writeFile(folder / "unplanned.json", flcc::job::toJson(report));
    test::writeFile(folder / "report.json",
                    std::string(R"({"problem":{"template":[16,16,1]},"chosen":{"method":"tiled",)"
                                R"("device":"cpu","tile":[64,64,1],"threads":2,"in_flight":1},)"
                                R"("candidates":[],"groups":[]})"));
}

void writeKnowledge(const std::filesystem::path& folder) {
    flcc::plan::Knowledge knowledge;
    test::writeFile(folder / "empty.json", flcc::plan::toText(knowledge));
    knowledge.model = flcc::method::CostModel();
    knowledge.model->calibrated = true;
    knowledge.model->shapeTimes.push_back({{64, 64, 1}, 1e5, 2e5});
    knowledge.model->instructionRates.push_back({"AVX2", 8});
    knowledge.wisdomSingle = "(fftw-3.3.10 fftwf_wisdom)";
    knowledge.remember({"lcc valid 64x64x1", {{{"tiled", "cpu", {64, 64, 1}, 2, {}}, 1.5}}});
    test::writeFile(folder / "full.json", flcc::plan::toText(knowledge));
}

/// The same two positions in each format, behind the two bytes that tests/fuzz/read_list.cpp reads.
void writePositions(const std::filesystem::path& folder) {
    for (const bool flat : {false, true}) {
        io::PositionList list;
        list.place.scene = "scene.mrc";
        list.place.extents = {100, 90, flat ? 1 : 80};
        list.place.unknowns = {
            .binning = 4.0, .unbinnedPixel = 1.35, .unbinnedSize = base::Extents{400, 360, 320}};
        list.columns = io::peakColumns();
        for (const double at : {7.25, 33.0}) {
            io::ListedPosition& position = list.positions.emplace_back();
            position.centre = {at, 2 * at, flat ? 0 : at + 1};
            position.score = 1 / at;
            position.box = {9, 8, flat ? 1 : 7};
        }
        io::fillPeakCells(list);
        for (std::size_t i = 0; i < io::listFormats().size(); ++i) {
            const io::ListFormatInfo& info = io::listFormats()[i];
            try {
                const std::string head{static_cast<char>(i + 1), static_cast<char>(flat ? 3 : 2)};
                test::writeFile(folder / (std::string(info.name) + (flat ? "-2d" : "-3d")),
                                head + io::listText(list, info.format));
            } catch (const base::Error&) { // needs what is not known here
            }
        }
    }
}

void writeSeeds(const std::filesystem::path& to) {
    const auto folder = [&](const char* name) {
        std::filesystem::create_directories(to / name);
        return to / name;
    };
    for (const char* extension : {"png", "tif", "mha", "nrrd", "nii", "mrc"}) {
        writeImages(folder(extension), extension);
    }
    writeImages(folder("nii_gz"), "nii.gz");
    fuzz::writePng(folder("png"));
    fuzz::writeTiff(folder("tif"));
    fuzz::writeJpeg(folder("jpg"));
    fuzz::writeExif(folder("exif"));
    fuzz::writeOme(folder("ome"));
    fuzz::writeTilts(folder("tilts"));
    for (const char* kind : {"bmp", "pnm", "gif", "webp", "jp2"}) {
        (void)folder(kind);
    }
    fuzz::writeReaderPictures(to);
    fuzz::writeInstruments(to);
    fuzz::writeScanners(to);
    fuzz::writeNrrd(folder("nrrd"));
    fuzz::writeMetaImage(folder("mha"));
    fuzz::writeNifti(folder("nii"), false);
    fuzz::writeNifti(folder("nii_gz"), true);
    fuzz::writeMrc(folder("mrc"), false);
    fuzz::writeMrc(folder("mrc_gz"), true);
    fuzz::writePairs(folder("hdr"));
    fuzz::writeLists(folder("nhdr"), folder("mhd"));
    fuzz::writeDicom(folder("dcm"));
    fuzz::writeHdf5(folder("h5"));
    fuzz::writeAnswers(folder("answer"));
    writeJobs(folder("job"));
    writeKnowledge(folder("knowledge"));
    writePositions(folder("list"));
    test::writeFile(folder("peaks") / "texts",
                    "\2\5a,b\"c\1m\4=1+1\1m\4mask\4same\4zero\6passed\2mm" + std::string(200, '?'));
}

} // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::fputs("usage: fuzz_seeds FOLDER\n", stderr);
        return 2;
    }
    try {
        writeSeeds(arguments[1]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fuzz_seeds: %s\n", error.what());
        return 1;
    }
    return 0;
}
