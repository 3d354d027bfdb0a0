#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include <hdf5.h>

#include "engine/io/process/reader_protocol.h"
#include "tests/engine/io/dicom_fixture.h"
#include "tests/engine/io/fixtures.h"
#include "tests/fuzz/seeds.h"

namespace flcc::fuzz {

namespace {

std::string textOf(const test::Bytes& bytes) { return {bytes.begin(), bytes.end()}; }
const test::Bytes kVoxels = varied(24);

} // namespace

void writeNrrd(const std::filesystem::path& folder) {
    const auto write = [&](const char* name, const std::string& fields, const std::string& data) {
        test::writeFile(folder / (std::string(name) + ".nrrd"),
                        "NRRD0005\n# a comment\n" + fields + "\n" + data);
    };
    const std::string volume = "type: uint8\ndimension: 3\nsizes: 4 3 2\n";
    write("axes",
          volume + "space: left-posterior-superior\nspace directions: (0.5,0,0) (0,0.5,0) (0,0,2)\n"
                   "space origin: (1,-2,3)\nspace units: \"mm\" \"mm\" \"mm\"\n"
                   "measurement frame: (1,0,0) (0,1,0) (0,0,1)\nencoding: raw\nkey:=value\n",
          textOf(kVoxels));
    write("gzip", volume + "spacings: 1 1 2.5\nlabels: \"x\" \"y\" \"z\"\nencoding: gzip\n",
          textOf(test::gzip(kVoxels)));
    write("text", volume + "thicknesses: NaN NaN 1\ncenters: cell cell node\nencoding: ascii\n",
          "1 2 3 4 5 6 7 8 9 10 11 12 1 2 3 4 5 6 7 8 9 10 11 12\n");
    write("hex", volume + "units: \"um\" \"um\" \"um\"\nline skip: 1\nencoding: hex\n",
          "skipped\n" + std::string(48, '7'));
    write("colour",
          "type: ushort\ndimension: 3\nsizes: 3 2 2\nkinds: RGB-color domain domain\n"
          "endian: big\nbyte skip: -1\nencoding: raw\n",
          textOf(kVoxels));
    write("time",
          "type: ushort\ndimension: 4\nsizes: 2 3 2 1\nspace: RAS\nendian: little\n"
          "space directions: none (1,0,0) (0,2,0) (0,0,3)\nkinds: time space space space\n"
          "encoding: raw\n",
          textOf(kVoxels));
    write("list",
          "type: uchar\ndimension: 5\nsizes: 2 3 2 2 1\n"
          "kinds: domain list domain time domain\nencoding: gz\n",
          textOf(test::gzip(kVoxels)));
    write("vector",
          "type: float\ndimension: 4\nsizes: 1 1 2 3\nkinds: domain domain domain vector\n"
          "endian: little\naxis mins: 0 0 0 NaN\naxis maxs: 1 1 1 NaN\nencoding: raw\n",
          textOf(kVoxels));
}

void writeMetaImage(const std::filesystem::path& folder) {
    const auto write = [&](const char* name, const std::string& fields, const test::Bytes& data) {
        test::writeFile(folder / (std::string(name) + ".mha"), "ObjectType = Image\n" + fields +
                                                                   "ElementDataFile = LOCAL\n" +
                                                                   textOf(data));
    };
    const std::string volume = "NDims = 3\nDimSize = 4 3 2\nElementType = MET_UCHAR\n";
    write("grid",
          volume + "BinaryData = True\nElementSpacing = 0.5 0.5 2\nOffset = 1 -2 3\n"
                   "TransformMatrix = 1 0 0 0 1 0 0 0 1\nCenterOfRotation = 0 0 0\n"
                   "AnatomicalOrientation = RAI\nComment = text\n",
          kVoxels);
    const test::Bytes packed = test::deflated(kVoxels);
    write("packed",
          volume + "BinaryData = True\nCompressedData = True\nCompressedDataSize = " +
              std::to_string(packed.size()) + "\n",
          packed);
    write("channels",
          "NDims = 2\nDimSize = 2 3\nElementNumberOfChannels = 2\nElementType = MET_SHORT\n"
          "BinaryDataByteOrderMSB = True\nHeaderSize = -1\n",
          kVoxels);
    write("text", "NDims = 2\nDimSize = 2 2\nBinaryData = False\nElementType = MET_FLOAT\n",
          {'1', ' ', '2', '.', '5', ' ', '3', ' ', '-', '4', 'e', '2', '\n'});
}

void writeNifti(const std::filesystem::path& folder, bool packed) {
    const auto write = [&](const std::string& name, const test::NiftiRecipe& recipe) {
        const test::Bytes bytes = test::makeNifti(recipe);
        test::writeFile(folder / (name + (packed ? ".nii.gz" : ".nii")),
                        packed ? test::gzip(bytes) : bytes);
    };
    for (const bool second : {false, true}) {
        for (const bool turned : {false, true}) {
            test::NiftiRecipe recipe;
            recipe.second = second;
            recipe.turned = turned;
            recipe.sizes = {3, 2, 2, 1};
            recipe.spacing = {0.5F, 0.5F, 2, 1};
            recipe.voxels = kVoxels;
            recipe.qform = 1;
            recipe.quaternion = {0, 0, 1};
            recipe.slope = 2;
            write("int16-" + std::to_string(int{second}) + std::to_string(int{turned}), recipe);
        }
    }
    test::NiftiRecipe complex;
    complex.sizes = {3, 1, 1};
    complex.spacing = {1, 1, 1};
    complex.type = 32;
    complex.bits = 64;
    complex.voxels = kVoxels;
    complex.sform = 1;
    complex.matrix = {1, 0, 0, 5, 0, 1, 0, 5, 0, 0, 1, 5};
    write("complex", complex);
    test::NiftiRecipe vectors;
    vectors.sizes = {2, 2, 1, 1, 3};
    vectors.spacing = {1, 1, 1, 1, 1};
    vectors.intent = 1007;
    vectors.voxels = kVoxels;
    write("vectors", vectors);
}

void writeMrc(const std::filesystem::path& folder, bool packed) {
    const auto write = [&](const std::string& name, const test::Bytes& file) {
        test::writeFile(folder / (name + (packed ? ".mrc.gz" : ".mrc")),
                        packed ? test::gzip(file) : file);
    };
    constexpr std::array<std::array<int, 2>, 8> kModes{
        {{0, 1}, {1, 2}, {2, 4}, {4, 8}, {6, 2}, {12, 2}, {16, 3}, {101, 1}}};
    for (const auto& [mode, bytes] : kModes) {
        for (const bool turned : {false, true}) {
            const auto count = static_cast<std::size_t>(12 * bytes);
            test::Bytes file = test::makeMrc(mode, {3, 2, 2}, {30, 20, 20}, varied(count), turned);
            write(std::to_string(mode) + (turned ? "-turned" : ""), file);
            const std::array<std::int32_t, 3> axes{3, 1, 2};
            for (std::size_t i = 0; i < axes.size(); ++i) {
                test::put(file, 64 + 4 * i, axes[i], turned);
                test::put(file, 16 + 4 * i, std::int32_t{-5}, turned);
            }
            test::put(file, 88, std::int32_t{401}, turned); // two volumes of one section
            test::put(file, 36, std::int32_t{1}, turned);
            test::put(file, 152, std::int32_t{1146047817}, turned);
            test::put(file, 156, std::int32_t{16}, turned);
            write(std::to_string(mode) + "-other" + (turned ? "-turned" : ""), file);
        }
    }
}

void writePairs(const std::filesystem::path& folder) {
    const auto beside = folder / "beside";
    std::filesystem::create_directories(beside);
    test::writeFile(beside / "mutant.img", varied(96));
    for (const bool second : {false, true}) {
        test::NiftiRecipe recipe;
        recipe.second = second;
        recipe.sizes = {3, 2, 2, 1};
        recipe.spacing = {0.5F, -0.5F, 2, 1};
        recipe.qform = recipe.sform = 1;
        recipe.matrix = {1, 0, 0, 5, 0, 1, 0, 5, 0, 0, 1, 5};
        test::Bytes header = test::makeNifti(recipe);
        header[second ? 5 : 345] = 'i';
        second ? test::put(header, 168, std::int64_t{0}) : test::put(header, 108, 0.0F);
        test::writeFile(folder / (second ? "second.hdr" : "first.hdr"), header);
        if (!second) {
            std::fill(header.begin() + 252, header.end(), static_cast<unsigned char>(0));
            test::writeFile(folder / "analyze.hdr", header);
        }
    }
}

void writeLists(const std::filesystem::path& nrrd, const std::filesystem::path& mha) {
    const std::string fields = "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 4 3 2\n";
    test::writeFile(nrrd / "list.nhdr", fields + "encoding: raw\ndata file: LIST\ns1\ns2\n");
    test::writeFile(nrrd / "rows.nhdr",
                    fields + "encoding: raw\ndata file: LIST 1\ns1\ns2\ns1\ns2\ns1\ns2\n");
    test::writeFile(nrrd / "pattern.nhdr", fields + "encoding: raw\nbyte skip: -1\n"
                                                    "data file: s%01d 1 2 1 2\n");
    const std::string keys = "NDims = 3\nDimSize = 4 3 2\nElementType = MET_UCHAR\n";
    test::writeFile(mha / "list.mhd", keys + "ElementDataFile = LIST 2D\ns1\ns2\n");
    test::writeFile(mha / "pattern.mhd", keys + "HeaderSize = -1\nElementDataFile = s%01d 1 2 1\n");
    for (const std::filesystem::path& folder : {nrrd / "beside", mha / "beside"}) {
        std::filesystem::create_directories(folder);
        test::writeFile(folder / "s1", varied(12));
        test::writeFile(folder / "s2", varied(20));
    }
}

void writeDicom(const std::filesystem::path& folder) {
    test::DicomRecipe recipe;
    recipe.pixels = kVoxels;
    test::writeFile(folder / "slice.dcm", test::makeDicom(recipe));
    recipe.slope = "2.5";
    recipe.intercept = "-1024";
    recipe.sign = true;
    test::writeFile(folder / "rescaled.dcm", test::makeDicom(recipe));
    recipe = {};
    recipe.samples = 3;
    recipe.bitsAllocated = recipe.bitsStored = 8;
    recipe.pixels = varied(36);
    test::writeFile(folder / "colour.dcm", test::makeDicom(recipe));
    recipe = {};
    recipe.frames = 2;
    recipe.pixels = varied(48);
    test::writeFile(folder / "frames.dcm", test::makeDicom(recipe));
    recipe.enhanced = true;
    for (const double z : {2.0, 0.0}) {
        recipe.places.push_back({.position = {0, 0, z}, .slope = "2", .stack = "1", .time = 1});
    }
    test::writeFile(folder / "enhanced.dcm", test::makeDicom(recipe));
    recipe = {};
    recipe.syntax = "1.2.840.10008.1.2.4.201";
    recipe.packed = {varied(20)};
    test::writeFile(folder / "packed.dcm", test::makeDicom(recipe));
}

void writeHdf5(const std::filesystem::path& folder) {
    for (const bool packed : {false, true}) {
        const hid_t file = H5Fcreate((folder / (packed ? "packed.h5" : "plain.h5")).c_str(),
                                     H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        const std::array<hsize_t, 3> sizes{2, 3, 4};
        const hid_t space = H5Screate_simple(3, sizes.data(), nullptr);
        const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
        if (packed) {
            const std::array<hsize_t, 3> chunk{1, 3, 4};
            H5Pset_chunk(creation, 3, chunk.data());
            H5Pset_deflate(creation, 1);
        }
        const hid_t data =
            H5Dcreate2(file, "volume", H5T_STD_U8LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
        H5Dwrite(data, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, kVoxels.data());
        const hsize_t three = 3;
        const std::array<double, 3> spacing{2, 0.5, 0.5};
        const hid_t list = H5Screate_simple(1, &three, nullptr);
        const hid_t attribute =
            H5Acreate2(data, "element_size_um", H5T_IEEE_F64LE, list, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(attribute, H5T_NATIVE_DOUBLE, spacing.data());
        H5Aclose(attribute);
        H5Sclose(list);
        if (packed) {
            const hid_t type = H5Tcopy(H5T_C_S1);
            H5Tset_size(type, H5T_VARIABLE);
            const std::array<const char*, 3> names{"z", "y", "x"};
            const hid_t labels = H5Screate_simple(1, &three, nullptr);
            const hid_t named =
                H5Acreate2(data, "DIMENSION_LABELS", type, labels, H5P_DEFAULT, H5P_DEFAULT);
            H5Awrite(named, type, names.data());
            H5Aclose(named);
            H5Sclose(labels);
            H5Tclose(type);
        }
        H5Dclose(data);
        H5Pclose(creation);
        H5Sclose(space);
        H5Fclose(file);
    }
}

void writeAnswers(const std::filesystem::path& folder) {
    for (const char wanted : {'\0', '\1', '\2', '\3'}) { // tests/fuzz/read_answer.cpp
        for (const bool failed : {false, true}) {
            const std::string texts("Na note\0Fa.dcm\0Mkey=value\0", 26);
            io::ReaderHeader header;
            header.extents = {4, 3, 2};
            std::memcpy(header.unit.data(), "mm", 2);
            header.textBytes = static_cast<std::int64_t>(texts.size());
            header.voxelBytes = wanted == 0 ? 0 : 24;
            test::ByteWriter out;
            out.put(wanted).put(header).append(test::Bytes(texts.begin(), texts.end()));
            if (failed) {
                const std::string sentence("Eit is damaged\0", 15);
                header.code = 3;
                header.textBytes = static_cast<std::int64_t>(sentence.size());
                out.put(io::kReaderFailed).put(header);
                out.append(test::Bytes(sentence.begin(), sentence.end()));
            } else if (wanted != 0) {
                out.put(std::int64_t{24}).append(kVoxels);
            }
            test::writeFile(folder / (std::to_string(int{wanted}) + (failed ? "-failed" : "")),
                            out.bytes);
        }
    }
}

} // namespace flcc::fuzz
