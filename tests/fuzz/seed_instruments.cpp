#include <fstream>
#include <string>

#include "tests/engine/io/eer_fixture.h"
#include "tests/engine/io/instrument_fixture.h"
#include "tests/engine/io/slide_fixture.h"
#include "tests/fuzz/seeds.h"

namespace flcc::fuzz {

namespace {

test::Bytes followed(test::Bytes header, std::size_t voxels) {
    const test::Bytes more = varied(voxels);
    header.insert(header.end(), more.begin(), more.end());
    return header;
}

} // namespace

void writeInstruments(const std::filesystem::path& folder) {
    const auto write = [&](const std::string& name, const test::Bytes& bytes) {
        std::filesystem::create_directories((folder / name).parent_path());
        test::writeFile(folder / name, bytes);
    };
    for (const bool turned : {false, true}) {
        const std::string order = turned ? "-big" : "-little";
        write("em/bytes" + order + ".em", followed(test::makeEm({5, 4, 3}, 1, 2625, turned), 60));
        write("em/floats" + order + ".em", followed(test::makeEm({5, 4, 1}, 5, 0, turned), 80));
        write("spi/volume" + order + ".spi",
              followed(test::makeSpider({5, 4, 3}, 3, {.pixel = 2, .turned = turned}), 240));
        test::Bytes stack =
            test::makeSpider({8, 4, 1}, 1, {.stack = 2, .images = 2, .turned = turned});
        for (const float number : {1.0F, 2.0F}) {
            const test::Bytes image =
                followed(test::makeSpider({8, 4, 1}, 1, {.number = number, .turned = turned}), 128);
            stack.insert(stack.end(), image.begin(), image.end());
        }
        write("spi/stack" + order + ".spi", stack);
        write("hed/images" + order + ".hed", test::makeImagic({5, 4, 3}, "PACK", 1, turned));
        write("hed/volume" + order + ".hed", test::makeImagic({5, 4, 3}, "INTG", 3, turned));
        for (const int version : {3, 4}) {
            write("dm" + std::to_string(version) + "/picture" + order + ".dm",
                  test::makeGatan({.version = version,
                                   .little = !turned,
                                   .lengths = {5, 4, 3},
                                   .type = 10,
                                   .kind = 4,
                                   .units = {u"nm", u"nm", u"s"},
                                   .voxels = varied(120),
                                   .width = 2}));
        }
        write(std::string("ser/series") + order + ".ser",
              test::makeSer(test::patternImage(base::PixelType::UInt16, {5, 4, 3}),
                            {.type = 2, .wide = turned}));
    }
    write("hed/beside/mutant.img", varied(120));
    write("eer/eight.eer", test::makeEer({.frames = 2, .picture = true}));
    write("eer/stated.eer",
          test::makeEer({.compression = 65002, .runBits = 5, .across = 1, .down = 1}));
    std::filesystem::create_directories(folder / "svs");
    test::writeSlide(folder / "svs" / "aperio.svs",
                     {.levels = {{40, 35}, {10, 8}},
                      .description = "Aperio Image\r\n40x35 (16x16) RAW|AppMag = 20|MPP = 0.25",
                      .tile = 16});
    const test::Bytes mgh = followed(test::makeMgh({5, 4, 3, 2}, 4), 240);
    write("mgh/frames.mgh", mgh);
    write("mgz/frames.mgz", test::gzip(mgh));
    write("fits/volume.fits",
          test::makeFits({"BITPIX = 16", "NAXIS = 3", "NAXIS1 = 5", "NAXIS2 = 4", "NAXIS3 = 3",
                          "BZERO = 32768", "BSCALE = 1", "CDELT1 = 0.5", "CUNIT1 = 'um'"},
                         varied(120)));
    write("fits/frames.fits", test::makeFits({"BITPIX = -32", "NAXIS = 4", "NAXIS1 = 5",
                                              "NAXIS2 = 4", "NAXIS3 = 1", "NAXIS4 = 2"},
                                             varied(160)));
    test::Bytes parts = test::makeFits({"BITPIX = 8", "NAXIS = 0"}, {});
    const test::Bytes part =
        test::makeFits({"XTENSION= 'IMAGE   '", "BITPIX = 16", "NAXIS = 2", "NAXIS1 = 5",
                        "NAXIS2 = 4", "PCOUNT = 0", "GCOUNT = 1", "BLANK = -7", "BSCALE = 0.5"},
                       varied(40));
    parts.insert(parts.end(), part.begin(), part.end());
    write("fits/extension.fits", parts);
}

} // namespace flcc::fuzz
