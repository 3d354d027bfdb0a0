#pragma once

#include <cstddef>
#include <filesystem>

#include "tests/engine/io/fixtures.h"

// Small valid files made by code, one function a fuzzer; each writes into an existing folder.

namespace flcc::fuzz {

/// Bytes that differ, as letters: a template of one value would be refused.
inline test::Bytes varied(std::size_t count) {
    test::Bytes bytes(count);
    for (std::size_t i = 0; i < count; ++i) {
        bytes[i] = static_cast<unsigned char>('a' + i * i % 23);
    }
    return bytes;
}

void writePng(const std::filesystem::path& folder);
void writeTiff(const std::filesystem::path& folder);
void writeJpeg(const std::filesystem::path& folder);
void writeExif(const std::filesystem::path& folder);
void writeOme(const std::filesystem::path& folder); ///< texts
/// BMP, PNM, GIF, WebP and JPEG 2000, each into a folder of its own in `folder`.
void writeReaderPictures(const std::filesystem::path& folder);

void writeNrrd(const std::filesystem::path& folder);
void writeMetaImage(const std::filesystem::path& folder);
void writeNifti(const std::filesystem::path& folder, bool packed);
void writeMrc(const std::filesystem::path& folder, bool packed);
/// Headers of NIfTI and Analyze; the voxels of all lie in the folder "beside".
void writePairs(const std::filesystem::path& folder);
/// Headers that name several files, which lie in a folder "beside".
void writeLists(const std::filesystem::path& nrrd, const std::filesystem::path& mha);
void writeDicom(const std::filesystem::path& folder);
void writeHdf5(const std::filesystem::path& folder);
/// MGH, EM, SPIDER, DM3 and DM4, SER, IMAGIC, FITS, EER and slides, each into a folder of its own
/// in `folder`.
void writeInstruments(const std::filesystem::path& folder);
/// VTK legacy, GIPL and other formats of ITK, each into a folder of its own in `folder`.
void writeScanners(const std::filesystem::path& folder);
void writeTilts(const std::filesystem::path& folder);
void writeAnswers(const std::filesystem::path& folder); ///< of flcc-reader

} // namespace flcc::fuzz
