#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/cuda/engine.h"
#include "engine/method/method.h"

namespace flcc::cuda {

/// A method that runs on one device.
class DeviceMethod : public method::Method {
  public:
    /// On device `number` of an engine, which must live as long.
    DeviceMethod(Engine& engine, std::int32_t number) : m_engine(engine) {
        m_facts.number = number;
        for (const DeviceFacts& device : engine.devices()) {
            if (device.number == number) {
                m_facts = device;
            }
        }
        m_id = m_facts.id();
    }

    [[nodiscard]] std::string_view device() const override { return m_id; }
    void warmUp(const method::Problem&, const method::Candidate&) const override {}

  protected:
    [[nodiscard]] Engine& engine() const { return m_engine; }
    [[nodiscard]] const DeviceFacts& facts() const { return m_facts; }

  private:
    Engine& m_engine;
    DeviceFacts m_facts;
    std::string m_id;
};

} // namespace flcc::cuda
