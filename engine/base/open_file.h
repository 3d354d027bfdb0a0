#pragma once

#include <filesystem>
#include <fstream>
#include <utility>

namespace flcc::base {

/// The file opened for reading bytes; a stream that failed where it cannot be opened.
/// **Errors**: std::bad_alloc where memory for the stream was refused. A stream alone does not tell
/// that from a file that is missing.
[[nodiscard]] std::ifstream openFile(const std::filesystem::path& path);

/// A file descriptor that is closed by the destructor.
class Descriptor {
  public:
    explicit Descriptor(int number) : m_number(number) {}
    ~Descriptor();
    Descriptor(Descriptor&& other) noexcept : m_number(std::exchange(other.m_number, -1)) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(m_number, other.m_number);
        return *this;
    }
    [[nodiscard]] int number() const { return m_number; }
    [[nodiscard]] bool valid() const { return m_number >= 0; }

  private:
    int m_number;
};

} // namespace flcc::base
