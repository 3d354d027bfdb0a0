#include "engine/io/stack_writer.h"

#include <cerrno>
#include <fstream>
#include <system_error>

#include "engine/base/error.h"
#include "engine/io/format/backends.h"
#include "engine/io/format/raw_file.h"

namespace flcc::io {

struct StackWriter::Parts {
    std::filesystem::path target;
    base::PixelType type;
    base::Extents extents;
    std::ofstream file;
    std::int64_t written = 0; ///< slices

    void requireGood() const {
        if (!file) {
            detail::failOutput(target, errno);
        }
    }
};

StackWriter::StackWriter(const AtomicFile& file, base::PixelType type, const base::Extents& extents,
                         const base::Geometry& geometry)
    : m_parts(std::make_unique<Parts>()) {
    requireStackWritable(file.target(), "");
    m_parts->target = file.target();
    m_parts->type = type;
    m_parts->extents = extents;
    const std::string header = detail::extensionOf(file.target()) == ".mha"
                                   ? detail::mhaHeader(type, extents, geometry, {})
                                   : detail::nrrdHeader(type, extents, geometry, {});
    errno = 0;
    m_parts->file.open(file.temporary(), std::ios::binary | std::ios::trunc);
    m_parts->file.write(header.data(), static_cast<std::streamsize>(header.size()));
    m_parts->requireGood();
}

StackWriter::~StackWriter() = default;

bool StackWriter::append(const base::AnyView& slice, const std::stop_token& stop) {
    Parts& parts = *m_parts;
    const base::Extents one{parts.extents.x, parts.extents.y, 1};
    if (base::extentsOf(slice) != one || base::pixelType(slice) != parts.type ||
        parts.written == parts.extents.z) {
        throw base::Error(base::ErrorCode::Internal,
                          "slice " + std::to_string(parts.written) + " of " +
                              base::toString(base::extentsOf(slice)) +
                              " does not belong to the stack " + base::toString(parts.extents));
    }
    errno = 0;
    try {
        detail::forRows(slice, 1 << 23, stop, [&](const char* bytes, std::int64_t count) {
            return bool(parts.file.write(bytes, count));
        });
    } catch (const detail::Stopped&) {
        return false;
    }
    parts.requireGood();
    ++parts.written;
    return true;
}

void StackWriter::finish() {
    if (m_parts->written != m_parts->extents.z) {
        throw base::Error(base::ErrorCode::Internal,
                          "the stack " + m_parts->target.string() + " lacks slices");
    }
    errno = 0;
    m_parts->file.close();
    m_parts->requireGood();
}

void requireStackWritable(const std::filesystem::path& path, const std::string& what) {
    const std::string extension = detail::extensionOf(path);
    if (extension != ".mha" && extension != ".nrrd") {
        throw base::Error(base::ErrorCode::CommandLine,
                          (what.empty() ? "" : what + " ") + detail::shown(path) +
                              ": a stack is written frame by frame as .mha or .nrrd; choose one "
                              "of these");
    }
}

} // namespace flcc::io
