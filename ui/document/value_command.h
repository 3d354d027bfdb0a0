#pragma once

#include <QUndoCommand>

#include <concepts>
#include <functional>
#include <utility>

namespace flcc::ui {

/// An undo step that puts one value in place of another.
template <class Value> class ValueCommand : public QUndoCommand {
  public:
    /// What tells steps apart. Steps of one kind with the same `gesture` above 0 are one step.
    struct Kind {
        QString text;
        int id = -1;
        int gesture = 0;
    };

    ValueCommand(Kind kind, Value before, Value after, std::function<void(const Value&)> apply)
        : m_kind(std::move(kind)), m_before(std::move(before)), m_after(std::move(after)),
          m_apply(std::move(apply)) {
        setText(m_kind.text);
    }
    void undo() override { m_apply(m_before); }
    void redo() override { m_apply(m_after); }
    [[nodiscard]] int id() const override { return m_kind.id; }
    bool mergeWith(const QUndoCommand* other) override {
        const auto* next = dynamic_cast<const ValueCommand*>(other);
        if (next == nullptr || m_kind.gesture == 0 || next->m_kind.gesture != m_kind.gesture) {
            return false;
        }
        m_after = next->m_after;
        if constexpr (std::equality_comparable<Value>) {
            setObsolete(m_after == m_before); // nothing is left to undo
        }
        return true;
    }

  private:
    Kind m_kind;
    Value m_before;
    Value m_after;
    std::function<void(const Value&)> m_apply;
};

} // namespace flcc::ui
