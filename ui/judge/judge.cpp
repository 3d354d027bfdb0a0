#include "ui/judge/judge.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/base/error.h"
#include "engine/job/explain.h"
#include "ui/base/option_names.h"
#include "ui/base/text.h"
#include "ui/judge/kept_source.h"

namespace flcc::ui {
namespace {

/// How far from a click the best place is looked for: a quarter of the template's shortest side.
std::int64_t reachOf(const base::Extents& templ) {
    const std::int64_t side = std::min({templ.x, templ.y, templ.z > 1 ? templ.z : templ.x});
    return std::max<std::int64_t>(side / 4, 2);
}

} // namespace

Judge::Judge(Document& document, QObject* parent) : QObject(parent), m_document(document) {
    connect(&m_document, &Document::resultShown, this, [this] { m_work.cancel(); });
}

void Judge::decide(const std::vector<int>& peaks, match::Decision decision) {
    const ResultEntry* result = m_document.result();
    if (result == nullptr || peaks.empty()) {
        return;
    }
    job::DecisionEdit edit;
    bool all = true;
    for (const int peak : peaks) {
        const match::PeakKey key = match::keyOf(result->job->peaks[static_cast<std::size_t>(peak)]);
        all = all && result->decisions.of(key) == decision;
        edit.decisions.emplace_back(key, decision);
    }
    if (all) {
        for (auto& [key, decided] : edit.decisions) {
            decided = match::Decision::Undecided;
        }
    }
    m_document.editResult(std::move(edit), tr("decision"));
    if (peaks.size() == 1) { // a key that is pressed again takes the decision back
        Q_EMIT hinted(all ? tr("Peak %1 is undecided again.").arg(peaks.front() + 1)
                          : tr("Peak %1: %2. N goes to the next peak.")
                                .arg(peaks.front() + 1)
                                .arg(toQString(std::string(match::name(decision)))));
    }
}

void Judge::remove(const std::vector<int>& peaks) {
    const ResultEntry* result = m_document.result();
    if (result == nullptr || peaks.empty()) {
        return;
    }
    job::AddedEdit edit{result->added, {}};
    for (const int peak : peaks) {
        const match::PeakKey key = match::keyOf(result->job->peaks[static_cast<std::size_t>(peak)]);
        const bool added = std::erase_if(edit.added, [&key](const match::Peak& each) {
                               return match::keyOf(each) == key;
                           }) > 0;
        // One that the map gives at this threshold, too, would stay in the list.
        const bool found = !result->found || std::ranges::find(*result->found, key, match::keyOf) !=
                                                 result->found->end();
        edit.decisions.decisions.emplace_back(key, added && !found ? match::Decision::Undecided
                                                                   : match::Decision::Reject);
    }
    if (edit.added.size() == result->added.size()) {
        m_document.editResult(std::move(edit.decisions), tr("rejection"));
    } else {
        m_document.editResult(std::move(edit), tr("removed peak"));
    }
}

void Judge::sweep(const std::vector<int>& peaks, bool back) {
    const ResultEntry* result = m_document.result();
    if (result == nullptr) {
        return;
    }
    std::vector<int> meant;
    for (const int peak : peaks) {
        const match::PeakKey key = match::keyOf(result->job->peaks[static_cast<std::size_t>(peak)]);
        if ((result->decisions.of(key) == match::Decision::Reject) == back) {
            meant.push_back(peak);
        }
    }
    if (meant.empty()) {
        return;
    }
    const auto count = static_cast<std::int64_t>(meant.size());
    if (back) {
        decide(meant, match::Decision::Reject); // all have it: it is taken back
        Q_EMIT hinted(tr("%1 no longer rejected.").arg(peaksText(count)));
        return;
    }
    const std::size_t added = result->added.size();
    remove(meant);
    const auto gone = static_cast<std::int64_t>(added - m_document.result()->added.size());
    Q_EMIT hinted(gone == 0 ? tr("%1 rejected.").arg(peaksText(count))
                            : tr("%1 rejected, %2 that you added removed.")
                                  .arg(peaksText(count - gone), peaksText(gone)));
}

void Judge::addAt(const base::Point& centre) {
    const std::optional<KeptSource> source = keptSource(m_document);
    if (!source) {
        Q_EMIT refused(tr("A peak can be added where the map of the result is there: run again."));
        return;
    }
    const int active = std::clamp(m_document.activeTemplate(), 0,
                                  static_cast<int>(source->result->templates.size()) - 1);
    const base::Extents templ =
        source->result->templates[static_cast<std::size_t>(active)]->extents();
    const auto corner = [&](std::size_t axis, std::int64_t edge) {
        return std::llround(centre[axis] - static_cast<double>(edge - 1) / 2);
    };
    const base::Index place{corner(0, templ.x), corner(1, templ.y), corner(2, templ.z)};
    m_work.start(
        [this, source, place, templ](const std::stop_token& stop) -> std::function<void()> {
            try {
                const auto kept = source->map(stop);
                const auto peak = kept ? job::peakNear(*kept, place, reachOf(templ),
                                                       job::thresholdsOf(source->settings))
                                       : std::nullopt;
                return [this, source, kept, peak] {
                    if (!kept || !isStill(m_document, *source)) {
                        return;
                    }
                    m_document.setKept(source->id, kept);
                    if (peak) {
                        add(*peak);
                    } else {
                        Q_EMIT refused(tr("No placement of the template there has a score."));
                    }
                };
            } catch (const base::Error& error) {
                return [this, sentence = inWindowWords(error)] { Q_EMIT refused(sentence); };
            }
        });
}

void Judge::add(const match::Peak& peak) {
    const auto number = [this, &peak] {
        const auto& peaks = m_document.result()->job->peaks;
        const auto found = std::ranges::find(peaks, match::keyOf(peak), match::keyOf);
        return found == peaks.end() ? -1 : static_cast<int>(found - peaks.begin());
    };
    const std::vector<int>& shown = m_document.peakChoice().shown;
    if (number() >= 0 && std::ranges::find(shown, number()) != shown.end()) {
        m_document.selectPeak(number());
        Q_EMIT told(tr("This place is peak %1 of the list already.").arg(number() + 1));
        return;
    }
    job::AddedEdit edit{m_document.result()->added, {}};
    edit.added.push_back(peak);
    edit.decisions.decisions.emplace_back(match::keyOf(peak), match::Decision::Keep);
    m_document.editResult(std::move(edit), tr("added peak"));
    m_document.selectPeak(number());
    Q_EMIT told(tr("Added the peak at %1 with the score %2.")
                    .arg(cornerText(peak.corner, m_document.isVolume()))
                    .arg(peak.score, 0, 'f', 4));
}

} // namespace flcc::ui
