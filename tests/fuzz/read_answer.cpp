// The bytes as what flcc-reader answers: this file takes the place of
// engine/io/process/reader_process.cpp, so that no process is started. The first byte chooses what
// is read.

#include <algorithm>
#include <cstring>
#include <fstream>
#include <span>
#include <string>

#include <unistd.h>

#include "engine/base/error.h"
#include "engine/io/files/read_files.h"
#include "engine/io/format/backends.h"
#include "engine/io/process/reader_process.h"

namespace {

std::span<const std::uint8_t> answer; ///< what is left of it

[[noreturn]] void fail(const std::string& reason) {
    throw flcc::base::Error(flcc::base::ErrorCode::Input, reason);
}

} // namespace

namespace flcc::io::detail {

ReaderSetup& readerSetup() {
    static ReaderSetup setup;
    return setup;
}

void ReaderProcess::Kill::operator()() const {}
ReaderProcess::ReaderProcess(std::filesystem::path path, Format format,
                             const std::vector<std::string>& /*arguments*/, const Limits& limits,
                             std::stop_token stop)
    : m_path(std::move(path)), m_format(format), m_limits(limits), m_stop(std::move(stop)),
      m_answer(-1), m_errors(-1) {}
ReaderProcess::~ReaderProcess() = default;

void ReaderProcess::read(void* target, std::int64_t count) {
    if (count > static_cast<std::int64_t>(answer.size())) {
        fail("it ended");
    }
    std::memcpy(target, answer.data(), static_cast<std::size_t>(count));
    answer = answer.subspan(static_cast<std::size_t>(count));
}

void ReaderProcess::failMemory() const { fail("memory"); }
void ReaderProcess::failAnswer(const std::string& fault) const { fail(fault); }

} // namespace flcc::io::detail

namespace {

/// A folder of one file that a series may name.
const std::filesystem::path& folder() {
    static const std::filesystem::path kFolder = [] {
        std::filesystem::path path = "/dev/shm/flcc-fuzz-" + std::to_string(::getpid());
        std::filesystem::create_directories(path);
        std::ofstream(path / "a.dcm") << "DICM";
        return path;
    }();
    return kFolder;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    namespace detail = flcc::io::detail;
    if (size == 0) {
        return 0;
    }
    answer = std::span(data, size).subspan(1);
    try {
        flcc::io::ReadOptions options;
        options.maxBytes = options.maxBufferBytes = std::int64_t{8} << 20;
        switch (data[0] % 4) {
        case 0:
            (void)detail::processInfo(folder(), detail::Format::Dicom, {});
            break;
        case 1: {
            detail::ReadFiles files;
            (void)detail::readByProcess(folder(), detail::Format::Dicom, options, &files);
            break;
        }
        default:
            options.frame = data[0] % 4 == 3 ? std::optional(0) : std::nullopt;
            (void)detail::readByProcess(folder() / "a.h5", detail::Format::Hdf5, options, nullptr);
        }
    } catch (const flcc::base::Error&) { // a sentence for the user: what should happen
    }
    return 0;
}
