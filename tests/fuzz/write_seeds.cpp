// fuzz_seeds FOLDER: writes small valid files of every format, a folder a fuzzer.

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/io/image_file.h"
#include "engine/job/arguments.h"
#include "engine/job/job.h"
#include "tests/engine/io/fixtures.h"

namespace base = flcc::base;
namespace io = flcc::io;
namespace test = flcc::test;

namespace {

using base::PixelType;

/// One image a type that the format can hold, in 2D and, where it can, in 3D.
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

void writeSeeds(const std::filesystem::path& to) {
    const auto folder = [&](const std::string& name) {
        std::filesystem::create_directories(to / name);
        return to / name;
    };
    for (const char* extension : {"png", "tif", "mha", "nrrd", "nii", "mrc"}) {
        writeImages(folder(extension), extension);
    }
    writeImages(folder("nii_gz"), "nii.gz");
    for (const bool progressive : {false, true}) {
        for (const int components : {1, 3}) {
            const test::Bytes pixels(24U * 18U * static_cast<unsigned>(components), 77);
            test::writeFile(folder("jpg") / ((progressive ? "progressive-" : "baseline-") +
                                             std::to_string(components) + ".jpg"),
                            test::makeJpeg(24, 18, components, progressive, pixels));
        }
    }
    for (const bool big : {false, true}) {
        test::TiffRecipe tiff;
        tiff.width = 6;
        tiff.height = 5;
        tiff.description = "ImageJ=1.53t\nimages=2\nslices=2\nunit=um\nspacing=2\n";
        tiff.pages.assign(2, test::Bytes(30, 3));
        tiff.big = big;
        test::writeFile(folder("tif") / (big ? "big.tif" : "imagej.tif"), test::makeTiff(tiff));
    }
    flcc::job::Job job;
    job.scene = "scene.mha";
    job.templates = {"template.mha"};
    job.map = "map.nrrd";
    test::writeFile(folder("job") / "job.json", flcc::job::toJobFile(job));
    test::writeFile(folder("knowledge") / "empty.json", std::string("{}"));
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
