#include "ui/document/template_set.h"

#include <algorithm>
#include <utility>

namespace flcc::ui {

const TemplateEntry* TemplateSet::activeEntry() const {
    return active < 0 ? nullptr : &all[static_cast<std::size_t>(active)];
}

void TemplateSet::insert(TemplateEntry entry) {
    auto place = all.end();
    if (entry.crop) {
        place = std::ranges::find_if(all, [](const TemplateEntry& each) { return !each.crop; });
    }
    place = all.insert(place, std::move(entry));
    active = static_cast<int>(place - all.begin());
}

void TemplateSet::replaceActive(TemplateEntry entry) {
    const TemplateEntry* old = activeEntry();
    if (old != nullptr && old->crop.has_value() == entry.crop.has_value()) {
        all[static_cast<std::size_t>(active)] = std::move(entry);
        return;
    }
    if (old != nullptr) {
        all.erase(all.begin() + active);
    }
    insert(std::move(entry));
}

void TemplateSet::remove(int index) {
    const auto count = static_cast<int>(all.size());
    all.erase(all.begin() + index);
    if (active > index || active == count - 1) {
        --active;
    }
}

void TemplateSet::removeCut() {
    std::erase_if(all, [](const TemplateEntry& each) { return each.crop.has_value(); });
    active = std::min(active, static_cast<int>(all.size()) - 1);
}

} // namespace flcc::ui
