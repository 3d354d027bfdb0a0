#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/geometry.h"
#include "engine/base/pixels.h"

namespace flcc::io::detail {

/// What a library found in a file: the content of a ReaderHeader.
struct FoundImage {
    base::PixelType pixel = base::PixelType::UInt8;
    base::Extents extents;
    int components = 1;
    int frames = 1;
    int channels = 1;
    base::Geometry geometry; ///< without its unit
    std::string unit;        ///< as the file writes it; empty if it has none
    std::vector<std::string> notes;
    std::vector<std::string> files;
    std::map<std::string, std::string> metadata;
    std::int64_t skippedFiles = 0;
    std::optional<std::uint32_t> orientation{}; ///< of the EXIF block; the program that asks turns
    int images = 1;
    int image = 0;        ///< the one that is described
    bool regions = false; ///< a box of it can be read without the rest
};

/// The path names several images.
class SeveralImages : public base::Error {
  public:
    /// A text for each of them, as ReaderText::Choice.
    SeveralImages(const std::string& sentence, std::vector<std::string> choices)
        : Error(base::ErrorCode::Problem, sentence), m_choices(std::move(choices)) {}
    [[nodiscard]] const std::vector<std::string>& choices() const { return m_choices; }

  private:
    std::vector<std::string> m_choices;
};

/// Writes the answer of flcc-reader (engine/io/process/reader_protocol.h). **Errors**: ends the
/// process when the other side no longer listens.
class ReaderAnswer {
  public:
    /// Takes standard output for the answer. What libraries print there afterwards is dropped.
    ReaderAnswer();

    /// `withVoxels` announces the voxels of one frame, or of that of a box.
    void header(const FoundImage& image, bool withVoxels);
    void header(const FoundImage& image, const base::Box& box);
    /// The next voxels.
    void voxels(const void* bytes, std::int64_t count);
    /// Says why the file cannot be read, before or after header().
    void failure(base::ErrorCode code, const std::string& sentence,
                 const std::vector<std::string>& choices = {});
    /// From now on until header(), more than `seconds` of processor time end the process with the
    /// failure `sentence`: a library may follow links of a damaged file in a circle.
    void limitHeader(int seconds, const std::string& sentence) const;
    /// From now on a crash of the library answers that it happened in this file of a series.
    void entering(const std::string& name) const;

  private:
    void write(const void* bytes, std::int64_t count) const;
    void send(const FoundImage& image, std::int64_t voxelBytes);
    /// What the handler of a signal is to say.
    void prepareLastWords(const std::string& sentence) const;
    [[nodiscard]] std::string failureText(base::ErrorCode code, const std::string& sentence,
                                          const std::vector<std::string>& choices) const;

    int m_file;
    bool m_headerSent = false;
};

/// What flcc-reader is asked for.
struct Request {
    std::string format; ///< the word by which flcc-reader was asked
    std::filesystem::path path;
    std::string dataset; ///< path inside an HDF5 file; may be empty
    int frame = -1;      ///< -1: none was chosen
    int channel = -1;
    int image = -1;                 ///< as frame
    std::optional<base::Box> box{}; ///< nothing: all; counts where FoundImage::regions is set
    std::int64_t memory = 0;        ///< bytes of voxels that the asking program can take
    bool voxels = false; ///< the header alone, or with the voxels of one frame and channel

    /// True if the voxels of the chosen frame and channel of the image are to be sent. Call it
    /// before anything of their size is allocated.
    [[nodiscard]] bool picks(const FoundImage& image) const;
    /// What is to be sent of an image whose regions can be read. **Errors**: Problem for a box that
    /// leaves the image.
    [[nodiscard]] base::Box boxOf(const FoundImage& image) const;
};

/// Reads the file or series that the request names and answers. **Errors**: Error, whose sentence
/// has no path; exceptions of the library.
void answerDicom(const Request& request, ReaderAnswer& answer);
void answerHdf5(const Request& request, ReaderAnswer& answer);
void answerBmp(const Request& request, ReaderAnswer& answer);
void answerPnm(const Request& request, ReaderAnswer& answer);
void answerGif(const Request& request, ReaderAnswer& answer);
void answerWebP(const Request& request, ReaderAnswer& answer);
void answerJpeg2000(const Request& request, ReaderAnswer& answer);
void answerFits(const Request& request, ReaderAnswer& answer);  ///< if the build has CFITSIO
void answerSlide(const Request& request, ReaderAnswer& answer); ///< if the build has OpenSlide
/// By ITK, if the build has it: a file, and the files of a folder that are the slices of a volume.
void answerItk(const Request& request, ReaderAnswer& answer);
void answerItkSlices(const Request& request, ReaderAnswer& answer);

} // namespace flcc::io::detail
