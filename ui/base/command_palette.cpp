#include "ui/base/command_palette.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <functional>
#include <utility>

namespace flcc::ui {
namespace {

QString plain(QString text) { return text.remove(QChar('&')); }

/// "Heatmap > Next peak".
QString pathOf(const QAction& action) {
    for (const QObject* owner : action.associatedObjects()) {
        if (const auto* menu = qobject_cast<const QMenu*>(owner)) {
            return CommandPalette::tr("%1 > %2").arg(plain(menu->title()), plain(action.text()));
        }
    }
    return plain(action.text());
}

} // namespace

CommandPalette::CommandPalette(const std::vector<QAction*>& actions, QWidget* parent)
    : QDialog(parent), m_actions(actions) {
    setObjectName(QStringLiteral("commandPalette"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Commands"));
    m_words = new QLineEdit(this);
    m_words->setObjectName(QStringLiteral("commandWords"));
    m_words->setAccessibleName(tr("Words of a command"));
    m_words->setPlaceholderText(tr("Words of a command"));
    m_words->setToolTip(
        tr("Lists the commands that contain these words. Return runs the chosen one"));
    m_words->installEventFilter(this);
    m_list = new QListWidget(this);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff); // long entries are shortened
    m_list->setObjectName(QStringLiteral("commandList"));
    m_list->setAccessibleName(tr("Commands"));
    m_list->setToolTip(tr("Return or a click runs a command"));
    m_list->setFocusPolicy(Qt::NoFocus);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_words);
    layout->addWidget(m_list, 1);
    connect(m_words, &QLineEdit::textChanged, this, &CommandPalette::find);
    connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::choose);
    resize(560, 420);
    find({});
}

void CommandPalette::find(const QString& words) {
    const QStringList all = words.simplified().split(QChar(' '), Qt::SkipEmptyParts);
    const auto holds = [&all](const QString& text) {
        return std::ranges::all_of(
            all, [&text](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
    };
    // Names before menus, menus before explanations; as in the menus otherwise.
    std::vector<std::pair<int, QAction*>> ranked;
    for (QAction* action : m_actions) {
        const QString path = pathOf(*action);
        const int rank = holds(plain(action->text()))                     ? 0
                         : holds(path)                                    ? 1
                         : holds(path + QChar(' ') + action->whatsThis()) ? 2
                                                                          : -1;
        if (rank >= 0) {
            ranked.emplace_back(rank, action);
        }
    }
    std::ranges::stable_sort(ranked, {}, [](const auto& each) { return each.first; });
    m_list->clear();
    m_found.clear();
    int current = -1;
    for (const auto& [rank, action] : ranked) {
        QString path = pathOf(*action);
        if (action->isCheckable()) {
            path += action->isChecked() ? tr(" (on)") : tr(" (off)");
        }
        const QString key = action->shortcut().toString(QKeySequence::NativeText);
        auto* item =
            new QListWidgetItem(key.isEmpty() ? path : QStringLiteral("%1    %2").arg(path, key));
        item->setToolTip(action->whatsThis());
        if (!action->isEnabled()) {
            item->setFlags(item->flags() & ~Qt::ItemIsEnabled);
        } else if (current < 0) {
            current = m_list->count();
        }
        m_list->addItem(item);
        m_found.push_back(action);
    }
    if (ranked.empty()) {
        auto* none = new QListWidgetItem(tr("No command has these words."), m_list);
        none->setFlags(Qt::NoItemFlags);
    }
    m_list->setCurrentRow(std::max(current, 0));
}

std::vector<QAction*> CommandPalette::withMenus(std::vector<QAction*> actions,
                                                const QMenuBar& menus) {
    const std::function<void(const QList<QAction*>&)> add = [&](const QList<QAction*>& entries) {
        for (QAction* entry : entries) {
            if (entry->menu() != nullptr) {
                add(entry->menu()->actions());
            } else if (!entry->isSeparator() &&
                       std::ranges::find(actions, entry) == actions.end()) {
                actions.push_back(entry);
            }
        }
    };
    add(menus.actions());
    return actions;
}

void CommandPalette::choose() {
    const int row = m_list->currentRow();
    if (row < 0 || row >= static_cast<int>(m_found.size()) ||
        !m_found[static_cast<std::size_t>(row)]->isEnabled()) {
        return;
    }
    QAction* action = m_found[static_cast<std::size_t>(row)];
    close();
    // After the palette has gone: the command may open a dialog or ask for the focus.
    QTimer::singleShot(0, action, [action] { action->trigger(); });
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
        if (step != 0 && m_list->count() > 0) {
            m_list->setCurrentRow((m_list->currentRow() + step + m_list->count()) %
                                  m_list->count());
            return true;
        }
        if (key == Qt::Key_Return || key == Qt::Key_Enter) {
            choose();
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

} // namespace flcc::ui
