// Seeds of the formats that ITK reads in flcc-reader.

#include "tests/engine/io/scanner_fixture.h"
#include "tests/fuzz/seeds.h"

namespace flcc::fuzz {

void writeScanners(const std::filesystem::path& folder) {
    const auto write = [&](const char* name, const test::Bytes& head, const test::Bytes& voxels) {
        std::filesystem::create_directories((folder / name).parent_path());
        test::Bytes all = head;
        all.insert(all.end(), voxels.begin(), voxels.end());
        test::writeFile(folder / name, all);
    };
    const auto text = [](const std::string& words) { return test::joined(words, {}); };
    const test::Bytes bytes = varied(30);
    const test::Bytes shorts = test::scannerVoxels<std::int16_t>(30, true);
    const test::Bytes little = test::scannerVoxels<std::int16_t>(30, false);
    const test::Bytes floats = test::scannerVoxels<float>(30, true);
    write("vtk/short", text(test::vtkHead("SCALARS s short")), shorts);
    write("vtk/float", text(test::vtkHead("SCALARS s float 1")), floats);
    write("vtk/colour", text(test::vtkHead("COLOR_SCALARS c 3")), varied(90));
    write("vtk/vectors", text(test::vtkHead("VECTORS v short")),
          test::scannerVoxels<std::int16_t>(90, true));
    std::string numbers;
    for (int i = 0; i < 30; ++i) {
        numbers += std::to_string(i * i % 23) + " ";
    }
    write("vtk/text", text(test::vtkHead("SCALARS s int", "ASCII") + numbers + "\n"), {});
    write("gipl/short", test::giplHead({5, 3, 2, 1}, 15), shorts);
    write("gipl/bytes", test::giplHead({5, 3, 1, 2}, 8), bytes);
    write("gipl/float", test::giplHead({6, 5, 0, 0}, 64), floats);
    write("gipl_gz/short",
          test::gzip(test::joined(
              std::string(reinterpret_cast<const char*>(test::giplHead({5, 3, 2, 1}, 15).data()),
                          256),
              shorts)),
          {});
    test::Bytes noted = bytes;
    for (const char* note :
         {"AXIS_2 1 0 0.5 microns", "AXIS_3 1 0 0.5 microns", "AXIS_4 2 0 1 s"}) {
        const test::Bytes more = test::bioRadNote(note);
        noted.insert(noted.end(), more.begin(), more.end());
    }
    write("pic/bytes", test::bioRadHead(5, 3, 2, true, true), noted);
    write("pic/shorts", test::bioRadHead(5, 3, 2, false, false), little);
    write("spr/word",
          text("numDim: 3\ndim: 5 3 2\norigin: 1 2 3\ninterval: 0.5 0.5 2\n"
               "dataType: WORD\nstimFileName: mutant.sdt\n"),
          {});
    write("spr/fov", text("numDim: 2\ndim: 5 3\nfov: 4 4\ndataType: REAL\n"), {});
    write("spr/beside/mutant.sdt", {}, shorts);
    write("bruker/volume", text(test::visuPars({})), {});
    write("bruker/slices",
          text(test::visuPars(
              {.axes = 2,
               .frames = 6,
               .size = "( 2 )\n5 1",
               .extent = "( 2 )\n2.5 0.25",
               .position = "( 3, 3 )\n-1 2 3.5 -1 2 1.5 -1 2 -0.5",
               .slope = "( 6 )\n1 1 1 1 1 1",
               .offset = "( 6 )\n0 0 0 0 0 0",
               .more = "##$VisuFGOrderDesc=( 2 )\n(2, <FG_ECHO>, <>, 0, 1) (3, <FG_SLICE>, <>, 1, "
                       "1)\n"})),
          {});
    write("bruker/beside/2dseq", {}, little);
    for (const int number : {0, 1}) {
        const std::string name = std::to_string(number);
        write(("ge5/" + name).c_str(), test::ge5Slice(number), {});
        write(("ge4/" + name).c_str(), test::ge4Slice(number), {});
        write(("geadw/" + name).c_str(), test::geAdwSlice(number), {});
        write(("siemens/" + name).c_str(), test::siemensSlice(number), {});
    }
    write("ge5/beside/slice", test::ge5Slice(2), {});
    write("ge4/beside/slice", test::ge4Slice(2), {});
    write("geadw/beside/slice", test::geAdwSlice(2), {});
    write("siemens/beside/slice", test::siemensSlice(2), {});
}

} // namespace flcc::fuzz
