#include "engine/io/digest.h"

#include <array>

#include <openssl/evp.h>

#include "engine/base/error.h"

namespace flcc::io {

struct Digest::State {
    std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context{EVP_MD_CTX_new(), EVP_MD_CTX_free};
    bool good = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
};

Digest::Digest() : m_state(std::make_unique<State>()) {}

Digest::~Digest() = default;

void Digest::add(const void* bytes, std::size_t count) {
    m_state->good = m_state->good && EVP_DigestUpdate(m_state->context.get(), bytes, count) == 1;
}

std::string Digest::text() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    if (!m_state->good || EVP_DigestFinal_ex(m_state->context.get(), digest.data(), &length) != 1) {
        throw base::Error(base::ErrorCode::Internal, "OpenSSL could not compute a SHA-256");
    }
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (unsigned int i = 0; i < length; ++i) {
        text += kDigits[digest[i] >> 4U];
        text += kDigits[digest[i] & 15U];
    }
    return text;
}

std::string textDigest(std::string_view text) {
    Digest digest;
    digest.add(text.data(), text.size());
    return digest.text();
}

} // namespace flcc::io
