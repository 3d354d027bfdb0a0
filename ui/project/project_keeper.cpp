#include "ui/project/project_keeper.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "engine/base/error.h"
#include "ui/base/option_names.h"
#include "ui/base/text.h"

namespace flcc::ui {
namespace {

namespace fs = std::filesystem;

/// After the first of several changes.
constexpr int kCompareMs = 700;
/// A new result is stored at once, since decisions on it need it.
constexpr int kResultMs = 200;

std::vector<int> idsOf(const std::vector<ResultEntry>& results) {
    std::vector<int> ids;
    for (const ResultEntry& each : results) {
        ids.push_back(each.id);
    }
    return ids;
}

/// What was decided since `before`.
std::vector<job::Decided> differences(int result, const match::DecisionList& before,
                                      const match::DecisionList& now) {
    std::vector<job::Decided> all;
    for (const auto& [key, decision] : now.all()) {
        if (before.of(key) != decision) {
            all.push_back({result, key, decision});
        }
    }
    for (const auto& [key, decision] : before.all()) {
        if (now.of(key) == match::Decision::Undecided) {
            all.push_back({result, key, match::Decision::Undecided});
        }
    }
    return all;
}

/// The filtered scenes whose voxels are not in the project.
QString tooLargeOf(const job::Project& project) {
    QStringList names;
    for (const job::ProjectScene& each : project.scenes) {
        if (each.made && each.image &&
            base::byteCount(each.extents, base::bytesPerVoxel(each.type)) > job::kMostMadeBytes) {
            names << toQString(each.name);
        }
    }
    return names.join(QStringLiteral(", "));
}

} // namespace

ProjectKeeper::ProjectKeeper(Document& document, Faces faces, QObject* parent)
    : QObject(parent), m_document(document), m_faces(std::move(faces)), m_comparing(this),
      m_writing(this) {
    m_compareTimer.setSingleShot(true);
    m_storeTimer.setSingleShot(true);
    connect(&m_compareTimer, &QTimer::timeout, this, &ProjectKeeper::compare);
    connect(&m_storeTimer, &QTimer::timeout, this, &ProjectKeeper::store);
    connect(&document, &Document::sceneChanged, this, &ProjectKeeper::startOver);
    for (const auto signal :
         {&Document::scenesChanged, &Document::spacingChanged, &Document::worldAxesChanged,
          &Document::boxChanged, &Document::templateChanged, &Document::masksChanged,
          &Document::peaksReplaced, &Document::resultsChanged, &Document::decisionsChanged}) {
        connect(&document, signal, this, &ProjectKeeper::changed);
    }
}

ProjectKeeper::~ProjectKeeper() {
    m_comparing.cancel();
    m_writing.cancel();
}

void ProjectKeeper::storeIn(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    m_folder = folder;
}

void ProjectKeeper::setPace(int firstMs, int nextMs) {
    m_firstMs = firstMs;
    m_nextMs = nextMs;
}

ProjectSnapshot ProjectKeeper::take() const {
    ProjectSnapshot taken = snapshotOf(m_document, m_faces.settings(), m_faces.views());
    taken.project.others = m_others;
    taken.project.notes = m_notes;
    return taken;
}

void ProjectKeeper::fill(const std::function<void()>& filling) {
    m_adopting = true;
    filling();
    m_adopting = false;
}

/// Another scene took the place of all: what follows is a new project.
void ProjectKeeper::startOver() {
    if (m_adopting) {
        return;
    }
    if (m_unsaved) {
        m_unsaved->remove(); // the question before opening said what goes
        m_unsaved.reset();
    }
    m_file.clear();
    m_readOnly.clear();
    m_savedDigest.clear();
    m_others = "{}";
    m_notes.clear();
    m_journaled.clear();
    m_stored.clear();
    m_storeTimer.stop();
    m_modified = false;
    changed();
    Q_EMIT stateChanged();
}

void ProjectKeeper::changed() {
    if (m_adopting) {
        return;
    }
    m_compareDue = true;
    if (!m_compareTimer.isActive()) { // not moved on by each change: there may be no pause
        m_compareTimer.start(kCompareMs);
    }
    journal();
    const bool isNew = std::ranges::any_of(m_document.results(), [this](const ResultEntry& each) {
        return !std::ranges::count(m_stored, each.id);
    });
    // Not moved on by each change: there may be one every moment.
    const bool isDue = m_storeTimer.isActive() && m_storeTimer.remainingTime() <= kResultMs;
    if (isNew && !isDue && work() != nullptr) {
        m_storeTimer.start(kResultMs);
    }
}

std::shared_ptr<UnsavedWork> ProjectKeeper::work() {
    if (!isStoring() || !m_readOnly.isEmpty() || !m_document.hasScene() ||
        (m_file.empty() && !m_document.holdsWork())) {
        return nullptr;
    }
    if (!m_unsaved) {
        m_unsaved = std::make_shared<UnsavedWork>(UnsavedWork::baseOf(m_file, m_folder));
        (void)m_unsaved->lock();
    }
    return m_unsaved;
}

/// Decisions are stored as they are made, those on results that are stored.
void ProjectKeeper::journal() {
    const std::shared_ptr<UnsavedWork> to = work();
    if (to == nullptr) {
        return;
    }
    try {
        for (const ResultEntry& each : m_document.results()) {
            match::DecisionList& known = m_journaled[each.id];
            if (!(known == each.decisions)) {
                to->append(differences(each.id, known, each.decisions));
                known = each.decisions;
            }
        }
    } catch (const base::Error& error) {
        tellOnce(inWindowWords(error));
    }
}

/// The next time may go well; until then once is enough.
void ProjectKeeper::tellOnce(const QString& reason) {
    if (!std::exchange(m_told, true)) {
        Q_EMIT failed(tr("Unsaved work cannot be stored: %1. Work goes on, and what is not saved "
                         "is lost if the program ends.")
                          .arg(reason));
    }
}

void ProjectKeeper::compare() {
    m_compareTimer.stop();
    if (!m_document.hasScene()) {
        return;
    }
    m_compareDue = false;
    m_comparing.start([this, snapshot = take(), work = m_unsaved](const std::stop_token& stop) {
        if (work) {
            work->flush();
        }
        const std::string digest = job::sessionDigest(workOf(snapshot.project));
        return stop.stop_requested() ? std::function<void()>()
                                     : [this, digest] { compared(digest); };
    });
}

void ProjectKeeper::compared(const std::string& digest) {
    const bool modified =
        m_file.empty() && m_savedDigest.empty() ? m_document.holdsWork() : digest != m_savedDigest;
    if (modified && work() != nullptr && !m_storeTimer.isActive()) {
        m_storeTimer.start(m_modified ? m_nextMs : m_firstMs);
    }
    if (!modified) {
        m_storeTimer.stop();
    }
    if (std::exchange(m_modified, modified) != modified) {
        Q_EMIT stateChanged();
    }
}

bool ProjectKeeper::isModified() {
    if (m_compareDue || m_comparing.isBusy()) {
        m_comparing.cancel();
        m_compareDue = false;
        m_compareTimer.stop();
        if (m_document.hasScene()) {
            compared(job::sessionDigest(workOf(take().project)));
        }
    }
    return m_modified;
}

void ProjectKeeper::store() {
    const std::shared_ptr<UnsavedWork> to = work();
    if (to == nullptr || m_writing.isBusy()) {
        if (to != nullptr) {
            m_storeTimer.start(kResultMs);
        }
        return;
    }
    ProjectSnapshot snapshot = take();
    const int number = to->nextJournal();
    m_stored = idsOf(m_document.results());
    for (const ResultEntry& each : m_document.results()) {
        m_journaled[each.id] = each.decisions;
    }
    m_writing.start([this, to, snapshot, number, folder = m_file.parent_path()](
                        const std::stop_token&) -> std::function<void()> {
        try {
            to->write(job::toText(projectOf(snapshot), folder), number);
            return [this] { m_told = false; };
        } catch (const std::exception& error) {
            return [this, sentence = inWindowWords(error)] {
                m_stored.clear();
                tellOnce(sentence);
            };
        }
    });
}

void ProjectKeeper::save(const fs::path& file, std::function<void(bool)> then) {
    if (then) {
        m_whenSaved.push_back(std::move(then));
    }
    const auto tell = [this](bool ok) {
        for (const auto& each : std::exchange(m_whenSaved, {})) {
            each(ok);
        }
    };
    if (file != m_file) {
        UnsavedWork there(UnsavedWork::baseOf(file, m_folder));
        if (!there.lock()) {
            Q_EMIT failed(tr("%1 is open in another window (%2): choose another name.")
                              .arg(pathText(file), there.holder()));
            tell(false);
            return;
        }
    }
    m_compareTimer.stop();
    m_comparing.cancel();
    m_compareDue = false;
    ProjectSnapshot snapshot = take();
    const int number = m_unsaved ? m_unsaved->nextJournal() : 0;
    for (const ResultEntry& each : m_document.results()) {
        m_journaled[each.id] = each.decisions;
    }
    m_writing.start([this, snapshot, number, file, tell, taken = m_journaled,
                     ids = idsOf(m_document.results())](
                        const std::stop_token&) -> std::function<void()> {
        try {
            const job::Project project = projectOf(snapshot);
            job::saveProject(file, job::toText(project, file.parent_path()));
            const std::string digest = job::sessionDigest(workOf(project));
            const QString tooLarge = tooLargeOf(project);
            return [this, file, number, digest, tell, tooLarge, taken, ids] {
                const bool moved = file != m_file;
                m_savedDigest = digest;
                m_file = file;
                m_readOnly.clear();
                m_modified = false;
                m_stored = ids;
                if (m_unsaved) {
                    // Decisions since are in the newest journal.
                    moved ? m_unsaved->remove() : m_unsaved->forgetBefore(number);
                }
                if (moved || !m_unsaved) {
                    m_unsaved.reset();
                    m_journaled = taken; // decisions since go into a journal of the new file
                    (void)work();
                }
                changed(); // what was done since
                Q_EMIT stateChanged();
                Q_EMIT saved(tr("The project was saved as %1.").arg(pathText(file)) +
                             (tooLarge.isEmpty()
                                  ? QString()
                                  : tr(" %1 is too large for it and in no file: save it by File > "
                                       "Export > Scene.")
                                        .arg(tooLarge)));
                tell(true);
            };
        } catch (const std::exception& error) {
            return [this, sentence = inWindowWords(error), tell] {
                changed();
                Q_EMIT failed(sentence);
                tell(false);
            };
        }
    });
}

void ProjectKeeper::adopt(const job::Project& project, const fs::path& file, bool recovered,
                          std::shared_ptr<UnsavedWork> unsaved, const QString& readOnly) {
    m_file = file;
    m_readOnly = readOnly;
    m_others = project.others;
    m_notes = project.notes;
    m_unsaved = std::move(unsaved);
    m_journaled.clear();
    for (const ResultEntry& each : m_document.results()) {
        m_journaled[each.id] = each.decisions;
    }
    m_stored = idsOf(m_document.results());
    m_compareTimer.stop();
    m_comparing.cancel();
    // What the panel made of the fields is what is compared later.
    m_savedDigest = recovered ? "another" : job::sessionDigest(workOf(take().project));
    m_modified = recovered;
    m_compareDue = false;
    Q_EMIT stateChanged();
}

void ProjectKeeper::throwAway() {
    m_compareTimer.stop();
    m_storeTimer.stop();
    m_comparing.cancel();
    if (m_unsaved) {
        m_unsaved->remove();
        m_unsaved.reset();
    }
    m_modified = false;
    m_compareDue = false;
}

void ProjectKeeper::storeNow() {
    if (isModified()) {
        if (const auto to = work()) {
            try {
                const int number = to->nextJournal();
                to->write(job::toText(projectOf(take()), m_file.parent_path()), number);
            } catch (const std::exception&) { // nobody is left to tell
            }
        }
    }
}

} // namespace flcc::ui
