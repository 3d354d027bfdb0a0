#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace flcc::io {

/// Computes a SHA-256 step by step.
class Digest {
  public:
    Digest();
    ~Digest();
    Digest(const Digest&) = delete;
    Digest& operator=(const Digest&) = delete;

    void add(const void* bytes, std::size_t count);
    /// The digest as 64 hexadecimal digits; call it once.
    [[nodiscard]] std::string text();

  private:
    struct State;
    std::unique_ptr<State> m_state;
};

/// SHA-256 of a text.
[[nodiscard]] std::string textDigest(std::string_view text);

/// A file and the SHA-256 of its bytes.
struct FileDigest {
    std::filesystem::path path;
    std::string sha256;
};

} // namespace flcc::io
