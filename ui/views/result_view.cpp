#include "ui/views/result_view.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

#include "ui/base/text.h"

namespace flcc::ui {

ResultView::ResultView(Document& document, ViewScenes& scenes, DisplayCopies& copies,
                       VolumeLook& look, QObject* parent)
    : QObject(parent), m_document(document), m_scenes(scenes), m_copies(copies), m_look(look) {
    connect(&m_document, &Document::resultShown, this, &ResultView::showResult);
    connect(&m_document, &Document::peakSelected, this, &ResultView::applyPeaks);
}

void ResultView::clear() {
    m_map.reset();
    m_running.reset();
    m_peaks.clear();
    m_compared = {};
}

void ResultView::setColourMap(match::ColourMap map) {
    m_colourMap = map;
    applyScale();
}

void ResultView::setFixedRange(bool fixed) {
    m_fixedRange = fixed;
    applyScale();
}

void ResultView::setScoreThreshold(double score) {
    m_threshold = score;
    m_scenes.volume->setScoreThreshold(m_shownValues == SearchValues::Score
                                           ? score
                                           : (m_valueRange.first + m_valueRange.second) / 2);
}

void ResultView::setValues(SearchValues values) {
    if (values != m_values) {
        m_values = values;
        showValues();
    }
}

void ResultView::showScores() {
    const ResultEntry* result = m_document.result();
    m_shownValues = SearchValues::Score;
    if (result != nullptr && result->job->map) {
        showMap(result->job->map, m_mapTempl, m_mapCorner, true);
    }
}

/// Brings the map in line with what is chosen and what there is.
void ResultView::showValues() {
    m_work.cancel();
    const ResultEntry* result = m_document.result();
    const bool scores = m_values == SearchValues::Score || m_running || m_compared.map ||
                        result == nullptr || !result->job->map || !result->job->search;
    if (scores) {
        if (m_shownValues != SearchValues::Score && !m_running) {
            showScores();
            refreshPeaks();
        }
        Q_EMIT valuesShown();
        return;
    }
    m_work.start([this, job = result->job, values = m_values](const std::stop_token& stop) {
        auto map = mapOfValues(*job, values, stop);
        return [this, job, values, map = std::move(map)] {
            const ResultEntry* now = m_document.result();
            if (!map || now == nullptr || now->job->map != job->map || m_running) {
                return;
            }
            m_shownValues = values;
            m_valueRange = match::valueRange(map->value.view(), map->status.view())
                               .value_or(std::pair(0.0, 1.0));
            showMap(map, m_mapTempl, m_mapCorner, true);
            refreshPeaks();
            Q_EMIT valuesShown();
        };
    });
}

match::HeatmapScale ResultView::mapScale() const {
    const bool twoSigned = m_colourMap == match::ColourMap::Diverging;
    match::HeatmapScale scale{m_colourMap, twoSigned ? -1.0 : 0.0, 1.0};
    if (m_shownValues != SearchValues::Score) {
        std::tie(scale.low, scale.high) = m_valueRange;
        if (twoSigned) {
            scale.high = std::max({std::abs(scale.low), std::abs(scale.high), 1e-6});
            scale.low = -scale.high;
        }
        return scale;
    }
    const ResultEntry* result = m_document.result();
    const method::Operation operation = m_running           ? m_runningOperation
                                        : result != nullptr ? result->settings.operation
                                                            : method::Operation();
    if (!operation.traits().drawnFromZero) {
        if (m_running && m_runningRange) {
            std::tie(scale.low, scale.high) = *m_runningRange;
        } else if (!m_running && result->job->report.map) {
            scale.low = result->job->report.map->statistics.minimum;
            scale.high = result->job->report.map->statistics.maximum;
        }
        scale.reversed = operation.traits().best == method::Best::Smallest;
    } else if (m_fixedRange) {
        scale.low = -1;
    } else if (!m_running && result != nullptr && result->job->report.map) {
        if (twoSigned) {
            const double least = result->job->report.map->statistics.minimum;
            scale.high = std::max({std::abs(least), std::abs(m_largest), 1e-6});
            scale.low = -scale.high;
        } else if (m_largest > 0) {
            scale.high = m_largest;
        }
    }
    return scale;
}

void ResultView::applyScale() {
    const match::HeatmapScale scale = mapScale();
    for (const auto& slice : m_scenes.slices) {
        slice->setMapScale(scale);
    }
    m_scenes.volume->setMapScale(scale);
    copyMap();
}

/// The copy of the map follows map and colours.
void ResultView::copyMap() {
    m_copies.setMap(m_map, viz::bestRule(mapScale()), m_mapFinished);
    m_scenes.slices.front()->setMapPyramid(m_copies.mapCopy());
    Q_EMIT copied();
}

void ResultView::showMap(const std::shared_ptr<const method::MatchMap>& map,
                         const base::Extents& templ, const base::Index& corner, bool finished) {
    m_map = map;
    m_mapTempl = templ;
    m_mapCorner = corner;
    m_mapFinished = finished;
    const ResultEntry* result = m_document.result();
    const method::Operation operation = m_running           ? m_runningOperation
                                        : result != nullptr ? result->settings.operation
                                                            : method::Operation();
    const std::string name = m_shownValues == SearchValues::Score
                                 ? std::string(operation.traits().label)
                                 : nameOf(m_shownValues).toStdString();
    for (const auto& slice : m_scenes.slices) {
        slice->setMapName(name);
        slice->setMap(map, templ, finished, corner);
    }
    m_scenes.volume->setMapName(name);
    m_scenes.volume->setMap(map, templ, finished, corner);
    applyScale();
    setScoreThreshold(m_threshold);
}

void ResultView::noteMap(const QString& note) {
    for (const auto& slice : m_scenes.slices) {
        slice->setMapNote(note.toStdString());
    }
    m_scenes.volume->setMapNote(note.toStdString());
}

void ResultView::setUnverified(bool unverified) {
    if (m_running) {
        noteMap(unverified ? tr("not yet verified") : QString());
    }
}

/// The templates of a result, whose surfaces stand at the peaks.
void ResultView::showShapes(const ResultEntry* result) {
    std::vector<viz::TemplateShape> shapes;
    for (std::size_t i = 0; result != nullptr && i < result->job->templates.size(); ++i) {
        const auto& templ = result->job->templates[i];
        viz::TemplateShape shape{{templ, &templ->pixels}};
        if (i < result->job->masks.size() && result->job->masks[i]) {
            shape.support = {result->job->masks[i], &result->job->masks[i]->support};
        }
        shapes.push_back(std::move(shape));
    }
    m_scenes.volume->setTemplateShapes(std::move(shapes));
}

void ResultView::showResult() {
    m_work.cancel();
    m_running.reset();
    m_shownValues = SearchValues::Score;
    m_below.clear();
    m_swept.clear();
    m_chosen.clear();
    m_peaks.clear();
    setCompared({});
    const ResultEntry* result = m_document.result();
    // Once, so that colours stay while the threshold moves.
    m_largest = result != nullptr && result->job->report.map
                    ? job::largestOfOthers(result->job->report)
                    : 1;
    showShapes(result);
    m_look.suitResult(result);
    if (result == nullptr || !result->job->map) {
        showMap(nullptr, {}, {}, true);
    } else {
        showMap(result->job->map, result->job->templates.front()->extents(), result->job->mapCorner,
                true);
    }
    QStringList notes;
    if (result != nullptr && !job::isVerified(result->job->report)) {
        notes << tr("not verified");
    }
    if (result != nullptr && job::isUnfinished(result->job->report)) {
        notes << tr("unfinished: %1").arg(searchedText(result->job->report));
    }
    noteMap(notes.join(QStringLiteral(", ")));
    showValues();
}

void ResultView::showRunningMap(std::shared_ptr<const method::MatchMap> map,
                                const base::Extents& templ, const base::Index& corner,
                                method::Operation operation) {
    m_work.cancel();
    m_shownValues = SearchValues::Score;
    m_running = map;
    m_runningOperation = operation;
    m_runningRange.reset();
    m_below.clear();
    m_peaks.clear();
    setCompared({});
    noteMap({});
    showMap(map, templ, corner, false);
}

void ResultView::showBestSoFar(std::shared_ptr<const method::MatchMap> map) {
    if (!m_running) {
        return;
    }
    m_running = map;
    if (!m_runningOperation.traits().drawnFromZero) {
        m_runningRange = match::valueRange(map->value.view(), map->status.view());
    }
    showMap(map, m_mapTempl, m_mapCorner, true); // it changes no more
    noteMap(tr("best so far"));
}

void ResultView::addRegions(const std::vector<base::Box>& regions) {
    if (!m_running) {
        return;
    }
    for (const base::Box& region : regions) {
        for (const auto& slice : m_scenes.slices) {
            slice->mapRegionFinished(region);
        }
        m_scenes.volume->mapRegionFinished(region);
    }
    if (!m_runningOperation.traits().drawnFromZero) {
        for (const base::Box& region : regions) {
            if (const auto values = match::valueRange(m_running->value.view().part(region),
                                                      m_running->status.view().part(region))) {
                const auto before = m_runningRange.value_or(*values);
                m_runningRange.emplace(std::min(before.first, values->first),
                                       std::max(before.second, values->second));
            }
        }
        applyScale();
    }
    m_copies.addRegions(regions);
}

void ResultView::endRunningMap() {
    if (m_running) {
        m_running.reset();
        showResult();
        setVisiblePeaks(m_document.peakChoice().shown);
    }
}

void ResultView::setVisiblePeaks(const std::vector<int>& peaks) {
    m_peaks = peaks;
    const ResultEntry* result = m_document.result();
    std::vector<viz::PeakMark> marks;
    if (result != nullptr) {
        for (const int index : m_peaks) {
            const match::Peak& peak = result->job->peaks[static_cast<std::size_t>(index)];
            const auto& templ = result->job->templates[static_cast<std::size_t>(peak.templ)];
            const bool shaded =
                m_document.masks().size() < 2 || peak.templ == m_document.activeTemplate();
            const bool grey = drawnGrey(*result, index);
            viz::PeakMark& mark = marks.emplace_back(viz::PeakMark{
                peak.centre, valueOf(peak, m_shownValues), index + 1, templ->extents(), shaded,
                grey ? -1 : static_cast<int>(peak.templ), grey, m_chosen.contains(index)});
            if (const auto found = m_compared.peaks.find(index); found != m_compared.peaks.end()) {
                mark.colour = found->second;
            }
            if (peak.pose) {
                mark.turn = rotation::matrixOf(*peak.pose, result->job->geometry.spacing);
                mark.shaded = false; // the support lies as the template was
            }
        }
        for (const match::Peak& peak : m_below) {
            const auto& templ = result->job->templates[static_cast<std::size_t>(peak.templ)];
            marks.push_back(
                {peak.centre, valueOf(peak, m_shownValues), 0, templ->extents(), false, -1, true});
            if (peak.pose) {
                marks.back().turn = rotation::matrixOf(*peak.pose, result->job->geometry.spacing);
            }
        }
        std::ranges::copy(m_compared.others, std::back_inserter(marks));
    }
    for (const auto& slice : m_scenes.slices) {
        slice->setPeaks(marks, m_mapTempl);
    }
    m_scenes.volume->setPeaks(marks, m_mapTempl);
    applyPeaks();
}

bool ResultView::drawnGrey(const ResultEntry& result, int peak) const {
    return m_swept.contains(peak)
               ? !m_sweptBack
               : result.decisions.of(match::keyOf(
                     result.job->peaks[static_cast<std::size_t>(peak)])) == match::Decision::Reject;
}

void ResultView::showSwept(std::set<int> peaks, bool back) {
    m_swept = std::move(peaks);
    m_sweptBack = back;
    refreshPeaks();
}

void ResultView::setChosen(const std::vector<int>& peaks) {
    std::set<int> chosen;
    if (peaks.size() > 1) {
        chosen.insert(peaks.begin(), peaks.end());
    }
    if (chosen != m_chosen) {
        m_chosen = std::move(chosen);
        refreshPeaks();
    }
}

void ResultView::setBelow(std::vector<match::Peak> peaks) {
    m_below = std::move(peaks);
    refreshPeaks();
}

void ResultView::setCompared(ComparedView compared) {
    m_compared = std::move(compared);
    if ((m_compared.map != nullptr) == (m_shownValues != SearchValues::Score)) {
        showValues(); // both maps show scores
    }
    for (const auto& slice : m_scenes.slices) {
        slice->setOtherMap(m_compared.map, m_compared.mapTempl, m_compared.mapCorner);
    }
    refreshPeaks();
}

void ResultView::setWipe(double share) {
    for (const auto& slice : m_scenes.slices) {
        slice->setWipe(share);
    }
}

void ResultView::applyPeaks() {
    const auto found = std::ranges::find(m_peaks, m_document.selectedPeak());
    const auto mark = found == m_peaks.end()
                          ? std::nullopt
                          : std::optional(static_cast<std::size_t>(found - m_peaks.begin()));
    for (const auto& slice : m_scenes.slices) {
        slice->setSelectedPeak(mark);
    }
    m_scenes.volume->setSelectedPeak(mark);
}

int ResultView::peakAt(const ViewFrame& frame, viz::DisplayPoint display) const {
    const auto mark =
        frame.slice() != nullptr ? frame.slice()->peakAt(display) : frame.volume()->peakAt(display);
    return mark && *mark < m_peaks.size() ? m_peaks[*mark] : -1;
}

/// Marks below the threshold have no number.
std::vector<int> ResultView::numbersOf(const std::vector<std::size_t>& marks) const {
    std::vector<int> numbers;
    for (const std::size_t mark : marks) {
        if (mark < m_peaks.size()) {
            numbers.push_back(m_peaks[mark]);
        }
    }
    return numbers;
}

std::vector<int> ResultView::peaksInside(const ViewFrame& slice,
                                         const std::vector<base::Point>& line) const {
    return numbersOf(slice.slice()->peaksInside(line));
}

std::vector<int> ResultView::peaksAlong(const ViewFrame& slice, const base::Point& from,
                                        const base::Point& to) const {
    return numbersOf(slice.slice()->peaksAlong(from, to));
}

} // namespace flcc::ui
