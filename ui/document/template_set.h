#pragma once

#include <vector>

#include "ui/document/entries.h"

namespace flcc::ui {

/// The templates in the order of their numbers, of which one is active. Templates that were cut
/// come before those that were opened.
struct TemplateSet {
    std::vector<TemplateEntry> all;
    int active = -1;

    [[nodiscard]] const TemplateEntry* activeEntry() const; ///< null: there is none
    /// Inserts a template after the last one of its kind (cut or opened), and makes it active.
    void insert(TemplateEntry entry);
    void replaceActive(TemplateEntry entry);
    void remove(int index);
    void removeCut(); ///< those cut from the scene
};

} // namespace flcc::ui
