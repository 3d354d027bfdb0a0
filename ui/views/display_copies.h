#pragma once

#include <QObject>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "engine/base/pixels.h"
#include "engine/method/match_map.h"
#include "viz/pyramid.h"
#include "viz/reduced_volume.h"

namespace flcc::ui {

/// Makes the coarse copies that views need of a large scene and of its map (viz::Pyramid), and of a
/// large volume (viz::ReducedVolume), on a
/// thread of its own: the thread of RunController is busy while a map grows.
///
/// **Threads**: every public function belongs to the GUI thread; signals come there. The destructor
/// stops the work and waits for it, a few milliseconds.
class DisplayCopies : public QObject {
    Q_OBJECT

  public:
    explicit DisplayCopies(QObject* parent = nullptr);
    ~DisplayCopies() override;

    /// The image that is shown; null: none. Its old copy goes, a new one comes by imageReady(), or
    /// by volumeReady(), if the image is large.
    void setImage(std::shared_ptr<const base::AnyImage> image);
    /// The map that is shown, and the rule of its colours. Nothing happens if nothing has changed.
    /// `finished`: all of the map may be read; otherwise what addRegions() names.
    void setMap(std::shared_ptr<const method::MatchMap> map, const viz::BestRule& rule,
                bool finished);
    void addRegions(const std::vector<base::Box>& regions);
    /// Drops the copies. They are made again for the next image or map.
    void release();

    /// The copy of the map that is shown, or null.
    [[nodiscard]] const std::shared_ptr<const viz::Pyramid>& mapCopy() const { return m_mapCopy; }
    [[nodiscard]] std::int64_t bytes() const;
    [[nodiscard]] bool isBusy() const { return m_pending > 0; }

  Q_SIGNALS:
    /// The copy of the image that is shown; null: released.
    void imageReady(std::shared_ptr<const flcc::viz::Pyramid> copy);
    void volumeReady(std::shared_ptr<const flcc::viz::ReducedVolume> copy); ///< the same
    void mapReady(std::shared_ptr<const flcc::viz::Pyramid> copy);
    void mapGrown(); ///< regions were added to the copy of the map

  private:
    /// Called on the thread; returns what is called on the GUI thread unless the work was stopped.
    using Work = std::function<std::function<void()>(const std::stop_token& stop)>;
    /// The copy of a map, which its works share.
    struct Slot {
        std::shared_ptr<viz::Pyramid> copy;
    };

    void start(const std::stop_source& stop, Work work);
    void loop(const std::stop_token& stop);
    void dropMap();

    struct Item {
        std::stop_source stop;
        Work work;
    };
    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::deque<Item> m_queue; ///< guarded by m_mutex

    int m_pending = 0;
    std::stop_source m_imageStop;
    std::stop_source m_mapStop;
    std::shared_ptr<const viz::Pyramid> m_imageCopy;
    std::shared_ptr<const viz::ReducedVolume> m_volumeCopy;
    std::shared_ptr<const viz::Pyramid> m_mapCopy;
    std::shared_ptr<const method::MatchMap> m_map;
    std::shared_ptr<Slot> m_slot; ///< null: the map needs no copy
    viz::BestRule m_rule;
    bool m_finished = false;
    std::jthread m_thread; ///< last member: it is joined before the members above are destroyed
};

} // namespace flcc::ui
