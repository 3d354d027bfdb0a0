#include "ui/document/result_list.h"

#include <algorithm>
#include <utility>

#include "engine/match/search_statistics.h"

namespace flcc::ui {

bool reaches(const match::Peak& peak, double minScore) {
    // Same rule as in the engine: a threshold of 1 still finds exact copies.
    return peak.score + peak.bound >= minScore;
}

bool isListed(const ResultEntry& result, const match::Peak& peak, double minScore) {
    return reaches(peak, minScore) ||
           std::ranges::find(result.added, match::keyOf(peak), match::keyOf) != result.added.end();
}

std::int64_t resultBytes(const job::JobResult& result) {
    std::int64_t bytes = 0;
    if (result.map) {
        const method::MatchMap& map = *result.map;
        bytes = map.value.count() * 4 + map.status.count() +
                (map.exact.data() != nullptr ? map.exact.count() * 8 : 0);
    }
    bytes += result.search ? result.search->z.count() * 12 : 0;
    return bytes + (result.index ? result.index->count() * 4 : 0);
}

void restate(ResultEntry& entry, const std::optional<base::Spacing>& spacing,
             const std::optional<base::WorldAxes>& axes) {
    auto next = std::make_shared<job::JobResult>(*entry.job);
    job::restate(*next, spacing, axes);
    entry.job = std::move(next);
    entry.kept.reset(); // its scene has the geometry of before
    entry.settings.spacing = spacing;
    entry.settings.world = axes;
}

void releaseMap(ResultEntry& entry) {
    auto without = std::make_shared<job::JobResult>(*entry.job);
    without->map.reset();
    without->index.reset();
    without->search.reset();
    entry.job = std::move(without);
    entry.kept.reset();
    entry.mapReleased = true;
}

const ResultEntry* ResultList::result() const {
    return m_shown < 0 ? nullptr : &m_all[static_cast<std::size_t>(m_shown)];
}

int ResultList::lastOf(int scene) const {
    const auto last = std::find_if(m_all.rbegin(), m_all.rend(), [scene](const ResultEntry& each) {
        return each.scene == scene;
    });
    return static_cast<int>(m_all.rend() - last) - 1;
}

std::int64_t ResultList::bytes() const {
    std::int64_t bytes = 0;
    for (const ResultEntry& each : m_all) {
        bytes += ui::resultBytes(*each.job);
    }
    return bytes;
}

void ResultList::show(int index) {
    m_shown = index >= 0 && index < static_cast<int>(m_all.size()) ? index : -1;
}

ResultEntry ResultList::remove(int index) {
    ResultEntry removed = std::move(m_all[static_cast<std::size_t>(index)]);
    m_all.erase(m_all.begin() + index);
    if (index == m_shown) {
        const auto next =
            std::find_if(m_all.begin() + index, m_all.end(),
                         [&removed](const auto& each) { return each.scene == removed.scene; });
        m_shown =
            next != m_all.end() ? static_cast<int>(next - m_all.begin()) : lastOf(removed.scene);
    } else if (index < m_shown) {
        --m_shown;
    }
    return removed;
}

std::vector<ResultEntry> ResultList::takeOut(const std::function<bool(const ResultEntry&)>& gone) {
    std::vector<ResultEntry> held;
    std::vector<ResultEntry> results = std::exchange(m_all, {});
    const int shown = std::exchange(m_shown, -1);
    for (int i = 0; i < static_cast<int>(results.size()); ++i) {
        ResultEntry& each = results[static_cast<std::size_t>(i)];
        if (gone(each)) {
            held.push_back(std::move(each));
            continue;
        }
        m_shown = i == shown ? static_cast<int>(m_all.size()) : m_shown;
        m_all.push_back(std::move(each));
    }
    return held;
}

void ResultList::clear() {
    m_all.clear();
    m_shown = -1;
}

int ResultList::indexOf(int id) const {
    const auto found = std::ranges::find(m_all, id, &ResultEntry::id);
    return found == m_all.end() ? -1 : static_cast<int>(found - m_all.begin());
}

ResultList::Edited ResultList::edit(int index, job::ResultEdit edit, int selected,
                                    const std::optional<base::Spacing>& spacing,
                                    const std::optional<base::WorldAxes>& axes) {
    ResultEntry& entry = m_all[static_cast<std::size_t>(index)];
    Edited done;
    done.before = entry.job;
    done.undo = job::apply(entry, std::move(edit));
    if (entry.job == done.before) { // decisions alone
        done.selected = selected;
        return done;
    }
    auto next = std::make_shared<job::JobResult>(*entry.job);
    job::restate(*next, spacing, axes);
    entry.job = std::move(next);
    entry.settings.spacing = spacing;
    entry.settings.world = axes;
    if (selected >= 0) {
        const auto& peaks = entry.job->peaks;
        const auto had = match::keyOf(done.before->peaks[static_cast<std::size_t>(selected)]);
        const auto now = std::ranges::find(peaks, had, match::keyOf);
        done.selected = now == peaks.end() ? -1 : static_cast<int>(now - peaks.begin());
    }
    return done;
}

void ResultList::restate(const std::optional<base::Spacing>& spacing,
                         const std::optional<base::WorldAxes>& axes) {
    for (ResultEntry& each : m_all) {
        ui::restate(each, spacing, axes);
    }
}

void ResultList::insert(int index, ResultEntry entry) {
    index = std::min(index, static_cast<int>(m_all.size()));
    m_all.insert(m_all.begin() + index, std::move(entry));
    m_shown += m_shown >= index ? 1 : 0;
}

/// The result whose map goes next; -1: none may go.
int ResultList::nextToRelease() const {
    const auto newest = static_cast<int>(m_all.size()) - 1;
    const auto find = [this](const auto& goes) {
        for (int i = 0; i < static_cast<int>(m_all.size()); ++i) {
            const ResultEntry& each = m_all[static_cast<std::size_t>(i)];
            if (each.job->map && goes(i, each)) {
                return i;
            }
        }
        return -1;
    };
    const auto complete = [](int, const ResultEntry& each) { return !each.job->cancelled; };
    const auto inUse = [this, newest](int i) { return i == newest || i == m_shown; };
    int next =
        find([&](int i, const ResultEntry& each) { return each.job->cancelled && !inUse(i); });
    if (next < 0 && find(complete) >= 0) {
        next = find([](int, const ResultEntry& each) { return each.job->cancelled; });
    }
    return next >= 0 ? next : find([&](int i, const ResultEntry& each) {
        return !inUse(i) && i != lastOf(each.scene);
    });
}

ResultList::Released ResultList::release(std::int64_t most) {
    Released given;
    const ResultEntry* const before = result();
    const auto shownJob = before != nullptr ? before->job : nullptr;
    while (bytes() > most) {
        const int index = nextToRelease();
        if (index < 0) {
            break;
        }
        ResultEntry& entry = m_all[static_cast<std::size_t>(index)];
        given.shownChanged = given.shownChanged || entry.job == shownJob;
        given.held.push_back(entry.job);
        if (entry.job->cancelled && entry.job->peaks.empty()) {
            given.results << entry.title;
            const int scene = entry.scene;
            m_all.erase(m_all.begin() + index);
            m_shown = index == m_shown ? lastOf(scene) : m_shown - (index < m_shown ? 1 : 0);
            continue;
        }
        given.maps << entry.title;
        releaseMap(entry);
    }
    return given;
}

} // namespace flcc::ui
