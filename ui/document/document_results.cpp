#include <algorithm>
#include <utility>

#include "ui/document/document.h"

// The list of results, their maps and the selected peak.

namespace flcc::ui {

bool reaches(const match::Peak& peak, double minScore) {
    // Same rule as in the engine: a threshold of 1 still finds exact copies.
    return peak.score + peak.bound >= minScore;
}

std::int64_t resultBytes(const job::JobResult& result) {
    std::int64_t bytes = 0;
    if (result.map) {
        const method::MatchMap& map = *result.map;
        bytes = map.value.count() * 4 + map.status.count() +
                (map.exact.data() != nullptr ? map.exact.count() * 8 : 0);
    }
    return bytes + (result.index ? result.index->count() * 4 : 0);
}

void Document::addResult(ResultEntry entry) {
    m_results.push_back(std::move(entry));
    Q_EMIT resultsChanged();
    if (m_results.back().scene == m_activeScene) {
        showResult(static_cast<int>(m_results.size()) - 1);
    }
    releaseOldMaps();
}

std::int64_t Document::resultBytes() const {
    std::int64_t bytes = 0;
    for (const ResultEntry& each : m_results) {
        bytes += ui::resultBytes(*each.job);
    }
    return bytes;
}

void Document::setMostResultBytes(std::int64_t bytes) {
    m_mostResultBytes = bytes;
    releaseOldMaps();
}

std::vector<ResultEntry> Document::takeOut(const std::function<bool(const ResultEntry&)>& gone) {
    std::vector<ResultEntry> held;
    std::vector<ResultEntry> results = std::exchange(m_results, {});
    const int shown = std::exchange(m_shown, -1);
    for (int i = 0; i < static_cast<int>(results.size()); ++i) {
        ResultEntry& each = results[static_cast<std::size_t>(i)];
        if (gone(each)) {
            held.push_back(std::move(each));
            continue;
        }
        m_shown = i == shown ? static_cast<int>(m_results.size()) : m_shown;
        m_results.push_back(std::move(each));
    }
    return held;
}

/// The result whose map goes next; -1: none may go.
int Document::nextToRelease() const {
    const auto newest = static_cast<int>(m_results.size()) - 1;
    const auto find = [this](const auto& goes) {
        for (int i = 0; i < static_cast<int>(m_results.size()); ++i) {
            const ResultEntry& each = m_results[static_cast<std::size_t>(i)];
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
        return !inUse(i) && i != lastResultOf(each.scene);
    });
}

void Document::releaseOldMaps() {
    // Kept alive until all listeners have handled the change.
    std::vector<std::shared_ptr<const job::JobResult>> held;
    QStringList released;
    QStringList removed;
    const ResultEntry* const before = result();
    const auto shownJob = before != nullptr ? before->job : nullptr;
    bool shownChanged = false;
    while (resultBytes() > m_mostResultBytes) {
        const int index = nextToRelease();
        if (index < 0) {
            break;
        }
        ResultEntry& entry = m_results[static_cast<std::size_t>(index)];
        shownChanged = shownChanged || entry.job == shownJob;
        held.push_back(entry.job);
        if (entry.job->cancelled && entry.job->peaks.empty()) {
            removed << entry.title;
            const int scene = entry.scene;
            m_results.erase(m_results.begin() + index);
            m_shown = index == m_shown ? lastResultOf(scene) : m_shown - (index < m_shown ? 1 : 0);
            continue;
        }
        released << entry.title;
        auto without = std::make_shared<job::JobResult>(*entry.job);
        without->map.reset();
        without->index.reset();
        entry.job = std::move(without);
        entry.kept.reset();
        entry.mapReleased = true;
    }
    if (held.empty()) {
        return;
    }
    Q_EMIT resultsChanged();
    if (shownChanged) {
        showResult(m_shown);
    }
    Q_EMIT mapsReleased(released, removed);
}

int Document::lastResultOf(int scene) const {
    const auto last =
        std::find_if(m_results.rbegin(), m_results.rend(),
                     [scene](const ResultEntry& each) { return each.scene == scene; });
    return static_cast<int>(m_results.rend() - last) - 1;
}

void Document::showResult(int index) {
    m_shown = index >= 0 && index < static_cast<int>(m_results.size()) ? index : -1;
    m_peak = -1;
    Q_EMIT resultShown();
    Q_EMIT peakSelected(-1);
}

void Document::renameResult(int index, const QString& title) {
    if (index >= 0 && index < static_cast<int>(m_results.size()) && !title.trimmed().isEmpty()) {
        m_results[static_cast<std::size_t>(index)].title = title.trimmed();
        Q_EMIT resultsChanged();
    }
}

void Document::replacePeaks(job::PeaksEdit edit, std::shared_ptr<const job::KeptMap> kept) {
    if (m_shown < 0) {
        return;
    }
    ResultEntry& entry = m_results[static_cast<std::size_t>(m_shown)];
    int selected = -1;
    if (m_peak >= 0) {
        const auto& peaks = edit.found.peaks;
        const auto before = match::keyOf(entry.job->peaks[static_cast<std::size_t>(m_peak)]);
        const auto now = std::ranges::find(peaks, before, match::keyOf);
        selected = now == peaks.end() ? -1 : static_cast<int>(now - peaks.begin());
    }
    const std::shared_ptr<const job::JobResult> before = entry.job; // listeners may still show it
    (void)job::apply(entry, std::move(edit));
    entry.kept = std::move(kept);
    m_peak = -1;
    Q_EMIT peaksReplaced();
    if (selected >= 0) {
        selectPeak(selected);
    } else {
        Q_EMIT peakSelected(-1);
    }
}

void Document::removeResult(int index) {
    if (index < 0 || index >= static_cast<int>(m_results.size())) {
        return;
    }
    // Kept alive until all listeners have handled the change.
    const ResultEntry removed = std::move(m_results[static_cast<std::size_t>(index)]);
    m_results.erase(m_results.begin() + index);
    if (index == m_shown) {
        const auto next =
            std::find_if(m_results.begin() + index, m_results.end(),
                         [&removed](const auto& each) { return each.scene == removed.scene; });
        showResult(next != m_results.end() ? static_cast<int>(next - m_results.begin())
                                           : lastResultOf(removed.scene));
    } else if (index < m_shown) {
        --m_shown;
    }
    Q_EMIT resultsChanged();
}

void Document::setPeakChoice(PeakChoice choice) {
    m_choice = std::move(choice);
    Q_EMIT peakChoiceChanged();
}

std::int64_t Document::shownPeaks(int result) const {
    if (result == m_shown) {
        return static_cast<std::int64_t>(m_choice.shown.size());
    }
    const auto& peaks = m_results[static_cast<std::size_t>(result)].job->peaks;
    return std::ranges::count_if(
        peaks, [this](const match::Peak& peak) { return reaches(peak, m_choice.minScore); });
}

const ResultEntry* Document::result() const {
    return m_shown < 0 ? nullptr : &m_results[static_cast<std::size_t>(m_shown)];
}

void Document::selectPeak(int peak) {
    const ResultEntry* shown = result();
    const int count = shown == nullptr ? 0 : static_cast<int>(shown->job->peaks.size());
    const int next = peak >= 0 && peak < count ? peak : -1;
    if (next != m_peak) {
        m_peak = next;
        Q_EMIT peakSelected(next);
    }
}

} // namespace flcc::ui
