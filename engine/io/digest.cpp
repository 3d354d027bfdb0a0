#include "engine/io/digest.h"

#include <array>

#include <openssl/sha.h>

namespace flcc::io {

/// The functions of the library that allocate nothing: EVP_MD_fetch, on which the others are built,
/// follows a null pointer when the library's own memory could not be allocated.
struct Digest::State {
    SHA256_CTX context{};
};

Digest::Digest() : m_state(std::make_unique<State>()) { (void)SHA256_Init(&m_state->context); }

Digest::~Digest() = default;

void Digest::add(const void* bytes, std::size_t count) {
    (void)SHA256_Update(&m_state->context, bytes, count);
}

std::string Digest::text() {
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
    (void)SHA256_Final(digest.data(), &m_state->context);
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : digest) {
        text += kDigits[byte >> 4U];
        text += kDigits[byte & 15U];
    }
    return text;
}

std::string textDigest(std::string_view text) {
    Digest digest;
    digest.add(text.data(), text.size());
    return digest.text();
}

} // namespace flcc::io
