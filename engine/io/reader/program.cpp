#include "engine/io/reader_program.h"

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
    std::cerr << "flcc-reader: flcc and flcc-cli start this program to read DICOM and HDF5 files; "
                 "open such a file with them\n";
    return static_cast<int>(ErrorCode::CommandLine);
}

void answer(int argc, char** argv, detail::ReaderAnswer& out) {
    const std::string_view format = argv[1];
    const bool withVoxels = std::string_view(argv[2]) == "read";
    if (format == "dicom") {
        detail::answerDicom(argv[3], withVoxels, out);
        return;
    }
    int frame = -1;
    const std::string_view number = argv[argc - 1];
    (void)std::from_chars(number.data(), number.data() + number.size(), frame);
    detail::answerHdf5(argv[3], argv[4], frame, withVoxels, out);
}

} // namespace

int runReader(int argc, char** argv) {
    const std::string_view format = argc == 6 ? argv[1] : "";
    if ((format != "dicom" && format != "hdf5") || ::isatty(STDOUT_FILENO) != 0) {
        return usage();
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // do not outlive the program that asked
    std::signal(SIGXFSZ, SIG_IGN);      // a library that writes a file gets an error
    detail::ReaderAnswer out;
    try {
        answer(argc, argv, out);
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
