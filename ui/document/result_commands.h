#pragma once

#include <QUndoCommand>

#include <memory>
#include <optional>
#include <utility>

#include "ui/document/document.h"

// Undo steps that change a result. A result that was removed since makes them obsolete.

namespace flcc::ui {

/// An edit of a result: other peaks, decisions, added peaks.
class ResultCommand : public QUndoCommand {
  public:
    ResultCommand(Document& document, int id, job::ResultEdit edit, const QString& text,
                  int gesture)
        : m_document(document), m_id(id), m_gesture(gesture), m_edit(std::move(edit)) {
        setText(text);
    }
    void redo() override {
        swap();
        m_done = true;
    }
    void undo() override { swap(); }
    [[nodiscard]] int id() const override { return Document::kResultStep; }
    bool mergeWith(const QUndoCommand* other) override {
        const auto* next = dynamic_cast<const ResultCommand*>(other);
        // What undoes this step undoes both.
        return next != nullptr && m_gesture > 0 && next->m_gesture == m_gesture &&
               next->m_id == m_id;
    }

  private:
    void swap() {
        Document& d = m_document;
        const int index = d.m_results.indexOf(m_id);
        if (index < 0) {
            setObsolete(true);
            return;
        }
        const auto entry = [&]() -> const ResultEntry& {
            return d.results()[static_cast<std::size_t>(index)];
        };
        if (m_done && index != d.m_results.shown() && entry().scene == d.m_activeScene) {
            d.showResult(index); // what is undone is seen
        }
        const bool shown = index == d.m_results.shown();
        const job::PeakThresholds before = job::thresholdsOf(entry().settings);
        ResultList::Edited done = d.m_results.edit(index, std::move(m_edit), shown ? d.m_peak : -1,
                                                   d.m_spacing, d.m_worldAxes);
        m_edit = std::move(done.undo);
        const bool otherPeaks = entry().job != done.before;
        const bool returned = m_done && job::thresholdsOf(entry().settings) != before;
        if (!shown) {
            Q_EMIT d.resultsChanged();
            return;
        }
        if (otherPeaks) {
            d.m_peak = -1;
            Q_EMIT d.peaksReplaced();
            done.selected >= 0 ? d.selectPeak(done.selected) : d.peakSelected(-1);
        } else {
            Q_EMIT d.decisionsChanged();
        }
        if (returned) {
            Q_EMIT d.thresholdsReturned();
        }
    }

    Document& m_document;
    int m_id;
    int m_gesture;
    job::ResultEdit m_edit; ///< the one that comes next: to redo, or to undo
    bool m_done = false;    ///< it was done once, so that this is undo or redo
};

/// Another name of a result.
class RenameCommand : public QUndoCommand {
  public:
    RenameCommand(Document& document, int id, QString title)
        : m_document(document), m_id(id), m_title(std::move(title)) {
        setText(Document::tr("name"));
    }
    void redo() override {
        const int index = m_document.m_results.indexOf(m_id);
        if (index < 0) {
            setObsolete(true);
            return;
        }
        std::swap(m_document.m_results.all()[static_cast<std::size_t>(index)].title, m_title);
        Q_EMIT m_document.resultsChanged();
    }
    void undo() override { redo(); }
    [[nodiscard]] int id() const override { return Document::kResultStep; }

  private:
    Document& m_document;
    int m_id;
    QString m_title; ///< the one that comes next
};

/// The removal of a result.
class RemoveResultCommand : public QUndoCommand {
  public:
    RemoveResultCommand(Document& document, int id) : m_document(document), m_id(id) {
        setText(Document::tr("remove result"));
    }
    void redo() override {
        Document& d = m_document;
        m_index = d.m_results.indexOf(m_id);
        if (m_index < 0) {
            setObsolete(true);
            return;
        }
        const bool shown = m_index == d.m_results.shown();
        m_entry = d.m_results.remove(m_index);
        const auto held = m_entry->job; // until all listeners have handled the change
        if (resultBytes(*held) > d.m_mostResultBytes / kRemovedShare) {
            releaseMap(*m_entry);
        }
        if (shown) {
            d.tellOfResult();
        }
        Q_EMIT d.resultsChanged();
    }
    void undo() override {
        Document& d = m_document;
        if (!m_entry) {
            setObsolete(true);
            return;
        }
        if (m_entry->settings.spacing != d.m_spacing || m_entry->settings.world != d.m_worldAxes) {
            restate(*m_entry, d.m_spacing, d.m_worldAxes);
        }
        const bool active = m_entry->scene == d.m_activeScene;
        d.m_results.insert(m_index, *std::exchange(m_entry, std::nullopt));
        Q_EMIT d.resultsChanged();
        if (active) {
            d.showResult(d.m_results.indexOf(m_id)); // what is undone is seen
        }
        d.releaseOldMaps();
    }
    [[nodiscard]] int id() const override { return Document::kResultStep; }

  private:
    Document& m_document;
    int m_id;
    int m_index = 0;
    std::optional<ResultEntry> m_entry;
};

} // namespace flcc::ui
