#pragma once

#include <QObject>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "engine/match/colour_map.h"
#include "ui/base/latest_work.h"
#include "ui/document/document.h"
#include "ui/views/display_copies.h"
#include "ui/views/searched_values.h"
#include "ui/views/view_frame.h"
#include "ui/views/view_scenes.h"
#include "ui/views/volume_look.h"

namespace flcc::ui {

/// What a comparison adds to the shown result.
struct ComparedView {
    std::map<int, match::Colour> peaks{}; ///< colours of peaks, by their numbers in the list
    std::vector<viz::PeakMark> others{};  ///< positions that the result lacks
    /// The map of another result; null: none.
    std::shared_ptr<const method::MatchMap> map{};
    base::Extents mapTempl{0, 0, 0};
    base::Index mapCorner{};
};

/// The result in the views: heatmap and peaks of the shown result, or of the run that is under way.
class ResultView : public QObject {
    Q_OBJECT

  public:
    ResultView(Document& document, ViewScenes& scenes, DisplayCopies& copies, VolumeLook& look,
               QObject* parent);

    void clear(); ///< forgets the map and the peaks of the scene before

    void setColourMap(match::ColourMap map);
    void setFixedRange(bool fixed); ///< [-1, 1] instead of the map's own
    /// What the heatmap shows of results with statistics of the search, and what colours the
    /// peaks. Results without them, running maps and comparisons show scores. The map is made on
    /// another thread: valuesShown() tells when it is there.
    void setValues(SearchValues values);
    [[nodiscard]] SearchValues shownValues() const { return m_shownValues; }
    /// True while the map of other values is being made.
    [[nodiscard]] bool isMakingValues() const { return m_work.isBusy(); }
    [[nodiscard]] match::HeatmapScale mapScale() const;

    /// In 3D the isosurface lies at this score, and half way up the range of other values.
    void setScoreThreshold(double score);

    // The current run.
    /// `corner` is the scene voxel of the map's first placement. Colours follow the values that are
    /// there so far, unless they are scores.
    void showRunningMap(std::shared_ptr<const method::MatchMap> map, const base::Extents& templ,
                        const base::Index& corner, method::Operation operation);
    /// In the place of the running map: a copy of the best scores so far.
    void showBestSoFar(std::shared_ptr<const method::MatchMap> map);
    void addRegions(const std::vector<base::Box>& regions);
    void endRunningMap();
    /// If true, the note "not yet verified" is drawn over the map of the current run.
    void setUnverified(bool unverified);
    [[nodiscard]] bool showsRunningMap() const { return m_running != nullptr; }

    /// The map whose scores are shown, or null. shownTemplate() is the extents of its template.
    [[nodiscard]] const method::MatchMap* shownMap() const { return m_map.get(); }
    [[nodiscard]] base::Extents shownTemplate() const { return m_mapTempl; }
    /// The scene voxel of the map's first placement.
    [[nodiscard]] base::Index shownCorner() const { return m_mapCorner; }

    /// The peaks that are drawn, as indices into the shown result's list.
    void setVisiblePeaks(const std::vector<int>& peaks);
    /// Peaks of the shown result below its threshold, drawn grey and without a number.
    void setBelow(std::vector<match::Peak> peaks);
    /// Colours and marks of a comparison, until another result is shown.
    void setCompared(ComparedView compared);
    /// See viz::SliceScene::setWipe.
    void setWipe(double share);
    /// Draws them again, because they may belong to other masks.
    void refreshPeaks() { setVisiblePeaks(std::vector<int>(m_peaks)); }
    /// The peak (index into the result's list) under a position, or -1.
    [[nodiscard]] int peakAt(const ViewFrame& frame, viz::DisplayPoint display) const;
    /// The drawn peaks inside a closed line in a slice, and those that a stroke passes, see
    /// viz::SliceScene.
    [[nodiscard]] std::vector<int> peaksInside(const ViewFrame& slice,
                                               const std::vector<base::Point>& line) const;
    [[nodiscard]] std::vector<int> peaksAlong(const ViewFrame& slice, const base::Point& from,
                                              const base::Point& to) const;
    /// Draws peaks as if they were rejected or, `back`, as if they were not, until the next call.
    void showSwept(std::set<int> peaks, bool back);
    /// Highlights peaks, if they are several: the selected one is highlighted anyway.
    void setChosen(const std::vector<int>& peaks);

  Q_SIGNALS:
    void valuesShown();
    void copied(); ///< the coarse copy of the map follows another map or other colours

  private:
    void showResult();
    void showMap(const std::shared_ptr<const method::MatchMap>& map, const base::Extents& templ,
                 const base::Index& corner, bool finished);
    void showValues();
    void showScores();
    void showShapes(const ResultEntry* result);
    void noteMap(const QString& note);
    void applyScale();
    void copyMap();
    void applyPeaks();
    [[nodiscard]] std::vector<int> numbersOf(const std::vector<std::size_t>& marks) const;
    [[nodiscard]] bool drawnGrey(const ResultEntry& result, int peak) const;

    Document& m_document;
    ViewScenes& m_scenes;
    DisplayCopies& m_copies;
    VolumeLook& m_look;
    match::ColourMap m_colourMap = match::ColourMap::Viridis;
    bool m_fixedRange = false;
    SearchValues m_values = SearchValues::Score; ///< chosen
    SearchValues m_shownValues = SearchValues::Score;
    std::pair<double, double> m_valueRange; ///< of other values than scores
    double m_threshold = 0;
    LatestWork m_work;
    std::shared_ptr<const method::MatchMap> m_map;
    bool m_mapFinished = true;
    std::shared_ptr<const method::MatchMap> m_running;
    method::Operation m_runningOperation;
    std::optional<std::pair<double, double>> m_runningRange; ///< least and largest value so far
    double m_largest = 1; ///< job::largestOfOthers() of the shown result
    base::Extents m_mapTempl{0, 0, 0};
    base::Index m_mapCorner;
    std::vector<int> m_peaks;
    std::vector<match::Peak> m_below;
    ComparedView m_compared;
    std::set<int> m_swept;
    bool m_sweptBack = false;
    std::set<int> m_chosen;
};

} // namespace flcc::ui
