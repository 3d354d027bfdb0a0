#include "engine/io/reader_program.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>

#include <sys/prctl.h>
#include <unistd.h>

#include "engine/io/reader/reader_answer.h"

namespace flcc::io {

namespace {

using base::ErrorCode;

constexpr const char* kDamaged = "the file is truncated, damaged or of a kind that cannot be read";

int usage() {
    std::cerr << "flcc-reader: flcc and flcc-cli start this program to read files of DICOM, HDF5 "
                 "and other formats; open such a file with them\n";
    return static_cast<int>(ErrorCode::CommandLine);
}

/// What reads each format, by FormatRow::reader.
struct Reader {
    std::string_view word;
    void (*answer)(const detail::Request&, detail::ReaderAnswer&);
};
constexpr std::array kReaders{
    Reader{"dicom", detail::answerDicom},       Reader{"hdf5", detail::answerHdf5},
    Reader{"bmp", detail::answerBmp},           Reader{"pnm", detail::answerPnm},
    Reader{"gif", detail::answerGif},           Reader{"webp", detail::answerWebP},
    Reader{"jpeg2000", detail::answerJpeg2000},
#ifdef FLCC_FITS
    Reader{"fits", detail::answerFits},
#endif
#ifdef FLCC_OPENSLIDE
    Reader{"slide", detail::answerSlide},
#endif
#ifdef FLCC_ITK
    Reader{"vtk", detail::answerItk},           Reader{"gipl", detail::answerItk},
    Reader{"biorad", detail::answerItk},        Reader{"stimulate", detail::answerItk},
    Reader{"bruker", detail::answerItk},        Reader{"ge4", detail::answerItkSlices},
    Reader{"ge5", detail::answerItkSlices},     Reader{"geadw", detail::answerItkSlices},
    Reader{"siemens", detail::answerItkSlices},
#endif
};

std::int64_t numberOf(std::string_view text) {
    std::int64_t number = -1;
    (void)std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

/// "X,Y,Z,W,H,D"; nothing for an empty text.
std::optional<base::Box> boxOf(std::string_view text) {
    std::array<std::int64_t, 6> numbers{};
    for (std::int64_t& number : numbers) {
        const std::string_view part = text.substr(0, text.find(','));
        number = numberOf(part);
        text.remove_prefix(std::min(text.size(), part.size() + 1));
    }
    const base::Box box{{numbers[0], numbers[1], numbers[2]}, {numbers[3], numbers[4], numbers[5]}};
    return numbers[3] < 1 ? std::nullopt : std::optional(box);
}

} // namespace

int runReader(int argc, char** argv) {
    const std::string_view format = argc == 10 ? argv[1] : "";
    const auto* const reader = std::find_if(
        kReaders.begin(), kReaders.end(), [&](const Reader& each) { return each.word == format; });
    if (reader == kReaders.end() || ::isatty(STDOUT_FILENO) != 0) {
        return usage();
    }
    const detail::Request request{.format = std::string(format),
                                  .path = argv[3],
                                  .dataset = argv[4],
                                  .frame = static_cast<int>(numberOf(argv[5])),
                                  .channel = static_cast<int>(numberOf(argv[6])),
                                  .image = static_cast<int>(numberOf(argv[7])),
                                  .box = boxOf(argv[8]),
                                  .memory = numberOf(argv[9]),
                                  .voxels = std::string_view(argv[2]) == "read"};
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // do not outlive the program that asked
    std::signal(SIGXFSZ, SIG_IGN);      // a library that writes a file gets an error
    detail::ReaderAnswer out;
    try {
        reader->answer(request, out);
        return 0;
    } catch (const detail::SeveralImages& several) {
        out.failure(several.code(), several.what(), several.choices());
    } catch (const base::Error& error) {
        out.failure(error.code(), error.what());
    } catch (const std::bad_alloc&) {
        out.failure(ErrorCode::Memory, "");
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n"; // class names and addresses: for the log only
        out.failure(ErrorCode::Input, kDamaged);
    } catch (...) {
        out.failure(ErrorCode::Input, kDamaged);
    }
    return static_cast<int>(ErrorCode::Input);
}

} // namespace flcc::io
