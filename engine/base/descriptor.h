#pragma once

#include <utility>

namespace flcc::base {

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
