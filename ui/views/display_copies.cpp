#include "ui/views/display_copies.h"

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "engine/base/log.h"
#include "engine/base/tile_pool.h"

namespace flcc::ui {

DisplayCopies::DisplayCopies(QObject* parent) : QObject(parent) {
    m_thread = std::jthread([this](const std::stop_token& stop) { loop(stop); });
}

DisplayCopies::~DisplayCopies() {
    m_imageStop.request_stop();
    m_mapStop.request_stop();
    m_thread.request_stop();
    m_wake.notify_all();
    m_thread.join();
}

void DisplayCopies::start(const std::stop_source& stop, Work work) {
    ++m_pending;
    {
        const std::scoped_lock lock(m_mutex);
        m_queue.push_back({stop, std::move(work)});
    }
    m_wake.notify_one();
}

void DisplayCopies::loop(const std::stop_token& stop) {
    base::giveWay();
    while (true) {
        Item item;
        {
            std::unique_lock lock(m_mutex);
            if (!m_wake.wait(lock, stop, [this] { return !m_queue.empty(); })) {
                return;
            }
            item = std::move(m_queue.front());
            m_queue.pop_front();
        }
        std::function<void()> done;
        try {
            if (!item.stop.stop_requested()) {
                done = item.work(item.stop.get_token());
            }
        } catch (const std::bad_alloc&) {
            // The views work without copies, only coarser.
            base::log(base::LogLevel::Warning, "not enough memory for the coarse copy of a view");
        } catch (const std::exception& error) {
            base::log(base::LogLevel::Warning,
                      std::string("no coarse copy of a view: ") + error.what());
        }
        item.work = nullptr; // it may hold the last reference to a large image
        QMetaObject::invokeMethod(
            this,
            [this, stopped = item.stop, done = std::move(done)] {
                --m_pending;
                if (done && !stopped.stop_requested()) {
                    done();
                }
            },
            Qt::QueuedConnection);
    }
}

void DisplayCopies::setImage(std::shared_ptr<const base::AnyImage> image) {
    m_imageStop.request_stop();
    m_imageStop = {};
    m_imageCopy.reset();
    m_volumeCopy.reset();
    if (image && viz::ReducedVolume::serves(base::extentsOf(*image))) {
        start(m_imageStop, [this, image = std::move(image)](const std::stop_token& stop) {
            auto copy = std::make_shared<const viz::ReducedVolume>(base::viewOf(*image), stop);
            return [this, copy = std::move(copy)] {
                m_volumeCopy = copy;
                Q_EMIT volumeReady(copy);
            };
        });
        return;
    }
    if (!image || !viz::Pyramid::serves(base::extentsOf(*image))) {
        return;
    }
    start(m_imageStop, [this, image = std::move(image)](const std::stop_token& stop) {
        auto copy = std::make_shared<const viz::Pyramid>(base::viewOf(*image), stop);
        return [this, copy = std::move(copy)] {
            m_imageCopy = copy;
            Q_EMIT imageReady(copy);
        };
    });
}

void DisplayCopies::dropMap() {
    m_mapStop.request_stop();
    m_mapStop = {};
    m_mapCopy.reset();
    m_slot.reset();
}

void DisplayCopies::setMap(std::shared_ptr<const method::MatchMap> map, const viz::BestRule& rule,
                           bool finished) {
    if (map == m_map && rule == m_rule && finished == m_finished) {
        return;
    }
    const bool known = map == m_map && rule == m_rule && m_slot != nullptr;
    m_map = std::move(map);
    m_rule = rule;
    m_finished = finished;
    if (!known) {
        dropMap();
        if (!m_map || !viz::Pyramid::serves(m_map->value.extents())) {
            return;
        }
        m_slot = std::make_shared<Slot>();
    }
    start(m_mapStop,
          [this, map_ = m_map, rule, finished, slot = m_slot](const std::stop_token& stop) {
              const base::Extents extents = map_->value.extents();
              if (!slot->copy) {
                  slot->copy = std::make_shared<viz::Pyramid>(extents, rule);
              }
              if (finished) { // also the regions that a cancelled run has left out
                  slot->copy->add(*map_, {{0, 0, 0}, extents}, stop);
              }
              return [this, copy = slot->copy] {
                  m_mapCopy = copy;
                  Q_EMIT mapReady(copy);
              };
          });
}

void DisplayCopies::addRegions(const std::vector<base::Box>& regions) {
    if (!m_slot || regions.empty()) {
        return;
    }
    start(m_mapStop, [this, map = m_map, regions, slot = m_slot](const std::stop_token& stop) {
        for (const base::Box& region : regions) {
            if (slot->copy) {
                slot->copy->add(*map, region, stop);
            }
        }
        return [this] { Q_EMIT mapGrown(); };
    });
}

void DisplayCopies::release() {
    m_imageStop.request_stop();
    m_imageStop = {};
    m_imageCopy.reset();
    m_volumeCopy.reset();
    dropMap();
    Q_EMIT imageReady(nullptr);
    Q_EMIT volumeReady(nullptr);
    Q_EMIT mapReady(nullptr);
}

std::int64_t DisplayCopies::bytes() const {
    return (m_volumeCopy ? m_volumeCopy->bytes() : 0) + (m_imageCopy ? m_imageCopy->bytes() : 0) +
           (m_mapCopy ? m_mapCopy->bytes() : 0);
}

} // namespace flcc::ui
