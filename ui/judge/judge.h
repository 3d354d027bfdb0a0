#pragma once

#include <QObject>

#include <vector>

#include "engine/match/decision.h"
#include "ui/base/latest_work.h"
#include "ui/document/document.h"

namespace flcc::ui {

/// What a person does to peaks of the shown result: decides on them, adds and removes some. Each is
/// one undo step. Peaks are named by their numbers in the result's list.
class Judge : public QObject {
    Q_OBJECT

  public:
    explicit Judge(Document& document, QObject* parent = nullptr);

    /// Decides on peaks. Where all of them have this decision already, it is taken back.
    void decide(const std::vector<int>& peaks, match::Decision decision);
    /// Rejects peaks. Added ones leave the list.
    void remove(const std::vector<int>& peaks);
    /// The same of peaks that a drag went over; rejected ones stay. `back`: rejections of them are
    /// taken back instead. Without a change it is no step.
    void sweep(const std::vector<int>& peaks, bool back);
    /// Adds the peak to which the map climbs from a place, with its canonical score, and keeps it.
    /// `centre`: scene voxels. The score is computed on a thread of its own.
    void addAt(const base::Point& centre);

  Q_SIGNALS:
    void told(const QString& sentence);
    void hinted(const QString& sentence); ///< of less weight: it does not move the views
    void refused(const QString& sentence);

  private:
    void add(const match::Peak& peak);

    Document& m_document;
    LatestWork m_work;
};

} // namespace flcc::ui
