#pragma once

#include <QDialog>

namespace flcc::ui {

class Actions;

/// Lists what the mouse does in the views, and every key.
class KeySheet : public QDialog {
    Q_OBJECT

  public:
    explicit KeySheet(const Actions& actions, QWidget* parent = nullptr);
};

} // namespace flcc::ui
