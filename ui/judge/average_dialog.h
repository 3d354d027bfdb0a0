#pragma once

#include <QDialog>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/job/exports.h"
#include "ui/base/latest_work.h"
#include "ui/document/document.h"

class QComboBox;
class QLabel;
class QPushButton;

namespace flcc::ui {

class PeaksPanel;
class RingView;

/// The average of peaks of the shown result, cut with sub-voxel interpolation: mean, variance,
/// count, and how well its odd and even halves agree. It follows decisions and selection, and
/// becomes a template by a click. Made on a thread of its own while the dialog is shown.
class AverageDialog : public QDialog {
    Q_OBJECT

  public:
    AverageDialog(Document& document, PeaksPanel& peaks, QWidget* parent);
    ~AverageDialog() override;

    /// Which peaks are averaged.
    enum class Of { Kept, Selected, NotRejected };
    [[nodiscard]] bool isBusy() const { return m_work.isBusy(); }

  Q_SIGNALS:
    /// The average is the active template now; it is to be searched for.
    void searchRequested();
    void told(const QString& sentence);

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    struct Made {
        match::Average average;
        job::AverageReport report;
        std::shared_ptr<const job::MadeOf> madeOf; ///< its places
        std::shared_ptr<const job::JobResult> job;
        int templ = 0;
    };
    void buildChoices();
    void choose();
    void follow();
    void take(std::shared_ptr<const Made> made);
    void clear(const QString& why);
    void drawPictures();
    bool makeTemplate();
    [[nodiscard]] std::vector<match::Peak> peaksOf(Of which, int templ) const;
    [[nodiscard]] QString textOf(const Made& made) const;
    [[nodiscard]] Of which() const;
    [[nodiscard]] int templ() const;

    Document& m_document;
    PeaksPanel& m_peaks;
    QComboBox* m_which = nullptr;
    QComboBox* m_templ = nullptr;
    QLabel* m_templLabel = nullptr;
    QLabel* m_pictures = nullptr;
    RingView* m_rings = nullptr;
    QLabel* m_text = nullptr;
    QPushButton* m_use = nullptr;
    QPushButton* m_search = nullptr;
    LatestWork m_work;
    std::shared_ptr<const Made> m_made;
    bool m_chosen = false; ///< a person chose which peaks
};

} // namespace flcc::ui
