#pragma once

#include <QStringList>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/base/geometry.h"
#include "ui/document/entries.h"

namespace flcc::ui {

/// Positions follow spacing and world axes.
void restate(ResultEntry& entry, const std::optional<base::Spacing>& spacing,
             const std::optional<base::WorldAxes>& axes);
/// Gives the map up; the peaks stay.
void releaseMap(ResultEntry& entry);

/// The results of runs, of which one is shown, and the memory of their maps.
class ResultList {
  public:
    [[nodiscard]] const std::vector<ResultEntry>& all() const { return m_all; }
    [[nodiscard]] std::vector<ResultEntry>& all() { return m_all; }
    [[nodiscard]] int shown() const { return m_shown; } ///< -1: none
    [[nodiscard]] const ResultEntry* result() const;    ///< the shown result, or null
    [[nodiscard]] int lastOf(int scene) const;          ///< -1: no result
    [[nodiscard]] std::int64_t bytes() const;

    void show(int index); ///< none if there is no such result
    void add(ResultEntry entry) { m_all.push_back(std::move(entry)); }
    /// Removes a result, which is returned. If it was shown, a neighbour of its scene is.
    [[nodiscard]] ResultEntry remove(int index);
    /// Puts a result in front of another one, or at the end; the shown result stays shown.
    void insert(int index, ResultEntry entry);
    /// Removes the results for which `gone` is true; the shown result stays shown. The caller keeps
    /// the returned results alive until all listeners have handled the change.
    [[nodiscard]] std::vector<ResultEntry>
    takeOut(const std::function<bool(const ResultEntry&)>& gone);
    void clear();

    [[nodiscard]] int indexOf(int id) const; ///< -1: there is no result with this id
    /// What an edit did.
    struct Edited {
        job::ResultEdit undo;
        int selected = -1; ///< the number of the selected peak in the new list; -1: it is gone
        std::shared_ptr<const job::JobResult> before; ///< keeps the old list alive
    };
    /// Edits a result. `selected`: number of a peak in its list, or -1. Positions, thresholds and
    /// job follow `spacing` and `axes`, which may have changed since the edit was made.
    [[nodiscard]] Edited edit(int index, job::ResultEdit edit, int selected,
                              const std::optional<base::Spacing>& spacing,
                              const std::optional<base::WorldAxes>& axes);
    /// Positions follow spacing and world axes.
    void restate(const std::optional<base::Spacing>& spacing,
                 const std::optional<base::WorldAxes>& axes);

    /// What was given up for the limit; `held` keeps the maps alive.
    struct Released {
        std::vector<std::shared_ptr<const job::JobResult>> held;
        QStringList maps;
        QStringList results; ///< partial results that went with their maps
        bool shownChanged = false;
    };
    /// Releases maps until all take at most `most` bytes, see kMostResultBytes.
    [[nodiscard]] Released release(std::int64_t most);

  private:
    [[nodiscard]] int nextToRelease() const;

    std::vector<ResultEntry> m_all;
    int m_shown = -1;
};

} // namespace flcc::ui
