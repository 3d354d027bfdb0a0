#include "engine/io/reader/reader_answer.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

#include "engine/io/process/reader_protocol.h"

namespace flcc::io::detail {

namespace {

void addText(std::string& texts, io::ReaderText kind, const std::string& text) {
    texts += static_cast<char>(kind);
    texts += text.substr(0, text.find('\0'));
    texts += '\0';
}

/// What a signal handler writes; it may not compose it.
std::string lastWords;
int lastWordsFile = -1;

extern "C" void sayLastWords(int signal) {
    [[maybe_unused]] const ssize_t written =
        ::write(lastWordsFile, lastWords.data(), lastWords.size());
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

extern "C" void endLate(int /*signal*/) {
    [[maybe_unused]] const ssize_t written =
        ::write(lastWordsFile, lastWords.data(), lastWords.size());
    ::_exit(static_cast<int>(flcc::base::ErrorCode::Input));
}

void setTimer(int seconds) {
    const itimerval timer{.it_interval = {}, .it_value = {.tv_sec = seconds, .tv_usec = 0}};
    ::setitimer(ITIMER_PROF, &timer, nullptr);
}

constexpr std::array kCrashes{SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

} // namespace

bool Request::picks(const FoundImage& image) const {
    const auto fits = [](int chosen, int count) {
        return chosen < count && (chosen >= 0 || count == 1);
    };
    return voxels && fits(frame, image.frames) && fits(channel, image.channels) &&
           base::byteCount(image.regions ? boxOf(image).extents : image.extents,
                           image.components * base::bytesPerVoxel(image.pixel)) <= memory;
}

base::Box Request::boxOf(const FoundImage& image) const {
    const base::Box all{{0, 0, 0}, image.extents};
    if (box && !base::contains(image.extents, *box)) {
        throw base::Error(base::ErrorCode::Problem,
                          "has the extents " + base::toString(image.extents) +
                              ", which the region " + base::toString(*box) + " leaves");
    }
    return box.value_or(all);
}

ReaderAnswer::ReaderAnswer() : m_file(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) {
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (m_file < 0 || nowhere < 0 || ::dup2(nowhere, STDOUT_FILENO) < 0) {
        std::_Exit(static_cast<int>(base::ErrorCode::Internal));
    }
}

void ReaderAnswer::write(const void* bytes, std::int64_t count) const {
    const auto* at = static_cast<const char*>(bytes);
    while (count > 0) {
        const ssize_t written = ::write(m_file, at, static_cast<std::size_t>(count));
        if (written < 0 && errno != EINTR) {
            std::_Exit(static_cast<int>(base::ErrorCode::Output));
        }
        at += std::max<ssize_t>(written, 0);
        count -= std::max<ssize_t>(written, 0);
    }
}

void ReaderAnswer::header(const FoundImage& image, bool withVoxels) {
    send(image, withVoxels ? base::byteCount(image.extents,
                                             image.components * base::bytesPerVoxel(image.pixel))
                           : 0);
}

void ReaderAnswer::header(const FoundImage& image, const base::Box& box) {
    send(image, base::byteCount(box.extents, image.components * base::bytesPerVoxel(image.pixel)));
}

void ReaderAnswer::send(const FoundImage& image, std::int64_t voxelBytes) {
    setTimer(0);
    io::ReaderHeader header;
    header.pixel = static_cast<std::int32_t>(image.pixel);
    header.components = image.components;
    header.frames = image.frames;
    header.channels = image.channels;
    if (image.orientation) {
        header.orientation =
            static_cast<std::int32_t>(std::min<std::uint32_t>(*image.orientation, INT32_MAX));
    }
    header.extents = {image.extents.x, image.extents.y, image.extents.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        header.spacing[axis] = image.geometry.spacing[axis];
        header.origin[axis] = image.geometry.origin[axis];
    }
    header.direction = image.geometry.direction;
    image.unit.copy(header.unit.data(), header.unit.size() - 1);
    header.skippedFiles = image.skippedFiles;
    std::string texts;
    for (const std::string& note : image.notes) {
        addText(texts, io::ReaderText::Note, note);
    }
    for (const std::string& file : image.files) {
        addText(texts, io::ReaderText::File, file);
    }
    for (const auto& [key, value] : image.metadata) {
        addText(texts, io::ReaderText::Entry, key + "=" + value);
    }
    header.textBytes = static_cast<std::int64_t>(texts.size());
    header.images = image.images;
    header.image = image.image;
    header.regions = image.regions ? 1 : 0;
    header.voxelBytes = voxelBytes;
    write(&header, sizeof(header));
    write(texts.data(), header.textBytes);
    m_headerSent = true;
}

void ReaderAnswer::voxels(const void* bytes, std::int64_t count) {
    const auto* at = static_cast<const char*>(bytes);
    while (count > 0) {
        const std::int64_t part = std::min(count, io::kMostReaderBlock);
        write(&part, sizeof(part));
        write(at, part);
        at += part;
        count -= part;
    }
}

std::string ReaderAnswer::failureText(base::ErrorCode code, const std::string& sentence,
                                      const std::vector<std::string>& choices) const {
    std::string all;
    if (m_headerSent) {
        all.append(reinterpret_cast<const char*>(&io::kReaderFailed), sizeof(io::kReaderFailed));
    }
    std::string texts;
    addText(texts, io::ReaderText::Sentence, sentence);
    for (const std::string& choice : choices) {
        addText(texts, io::ReaderText::Choice, choice);
    }
    io::ReaderHeader header;
    header.code = static_cast<std::int32_t>(code);
    header.textBytes = static_cast<std::int64_t>(texts.size());
    return all.append(reinterpret_cast<const char*>(&header), sizeof(header)).append(texts);
}

void ReaderAnswer::failure(base::ErrorCode code, const std::string& sentence,
                           const std::vector<std::string>& choices) {
    const std::string text = failureText(code, sentence, choices);
    write(text.data(), static_cast<std::int64_t>(text.size()));
}

void ReaderAnswer::prepareLastWords(const std::string& sentence) const {
    lastWords = failureText(base::ErrorCode::Input, sentence, {});
    lastWordsFile = m_file;
}

void ReaderAnswer::limitHeader(int seconds, const std::string& sentence) const {
    prepareLastWords(sentence);
    std::signal(SIGPROF, endLate);
    setTimer(seconds);
}

void ReaderAnswer::entering(const std::string& name) const {
    for (const int signal : kCrashes) {
        std::signal(signal, SIG_DFL);
    }
    prepareLastWords("the library that reads it crashed in its file " + name +
                     ", which is damaged or of a kind that cannot be read");
    for (const int signal : kCrashes) {
        std::signal(signal, sayLastWords);
    }
}

} // namespace flcc::io::detail
