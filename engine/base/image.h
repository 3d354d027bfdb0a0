#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "engine/base/allocation.h"
#include "engine/base/extents.h"

namespace flcc::base {

/// A box of voxels in memory that the view does not own. Voxels along x are contiguous; rows and
/// slices have strides in voxels. Copies are cheap.
template <class T> class View {
  public:
    View() = default;
    View(T* data, const Extents& extents) : View(data, extents, extents.x, extents.x * extents.y) {}
    View(T* data, const Extents& extents, std::int64_t rowStride, std::int64_t sliceStride)
        : m_data(data), m_extents(extents), m_rowStride(rowStride), m_sliceStride(sliceStride) {}

    /// Converts a view of mutable voxels to a view of constant voxels.
    template <class U, std::enable_if_t<std::is_same_v<const U, T>, int> = 0>
    View(const View<U>& other) // NOLINT(google-explicit-constructor): the same voxels, read only
        : View(other.data(), other.extents(), other.rowStride(), other.sliceStride()) {}

    [[nodiscard]] T* data() const { return m_data; }
    [[nodiscard]] const Extents& extents() const { return m_extents; }
    [[nodiscard]] std::int64_t rowStride() const { return m_rowStride; }
    [[nodiscard]] std::int64_t sliceStride() const { return m_sliceStride; }
    [[nodiscard]] T* row(std::int64_t y, std::int64_t z) const {
        return m_data + z * m_sliceStride + y * m_rowStride;
    }
    [[nodiscard]] T& at(std::int64_t x, std::int64_t y, std::int64_t z) const {
        return row(y, z)[x];
    }
    [[nodiscard]] T& at(const Index& i) const { return at(i.x, i.y, i.z); }

    /// The part inside `box`. **Shapes**: `box` must lie inside the view.
    [[nodiscard]] View part(const Box& box) const {
        return {row(box.corner.y, box.corner.z) + box.corner.x, box.extents, m_rowStride,
                m_sliceStride};
    }

  private:
    T* m_data = nullptr;
    Extents m_extents{0, 0, 0};
    std::int64_t m_rowStride = 0;
    std::int64_t m_sliceStride = 0;
};

/// An image or volume that owns its voxels: contiguous, 64-byte aligned, move-only.
template <class T> class Image {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    Image() = default;

    /// Voxels are not initialised: a page of new memory costs nothing until it is written.
    /// **Errors**: Problem for invalid extents; std::bad_alloc.
    explicit Image(const Extents& extents)
        : m_extents(extents), m_count(voxelCount(extents)),
          m_data(static_cast<T*>(allocateBuffer(static_cast<std::size_t>(
              byteCount(extents, static_cast<std::int64_t>(sizeof(T))))))) {}

    Image(const Extents& extents, T value) : Image(extents) { fill(value); }

    [[nodiscard]] const Extents& extents() const { return m_extents; }
    [[nodiscard]] std::int64_t count() const { return m_count; }
    [[nodiscard]] bool empty() const { return m_count == 0; }
    [[nodiscard]] T* data() { return m_data.get(); }
    [[nodiscard]] const T* data() const { return m_data.get(); }
    [[nodiscard]] View<T> view() { return {data(), m_extents}; }
    [[nodiscard]] View<const T> view() const { return {data(), m_extents}; }

    void fill(T value) {
        for (std::int64_t i = 0; i < m_count; ++i) {
            m_data[static_cast<std::size_t>(i)] = value;
        }
    }

  private:
    struct Free {
        void operator()(T* data) const { releaseBuffer(data); }
    };

    Extents m_extents{0, 0, 0};
    std::int64_t m_count = 0;
    std::unique_ptr<T[], Free> m_data;
};

} // namespace flcc::base
