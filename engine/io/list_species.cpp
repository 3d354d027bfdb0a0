// What the positions of a list are of.

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

#include "engine/base/text.h"
#include "engine/io/list_file.h"
#include "engine/io/lists/text_lists.h"

namespace flcc::io {

namespace {

constexpr std::string_view kTemplate = "template";
constexpr std::string_view kSpecies = "species";

/// The number in "template 3: ..." or, of the only template, 0 in "template: ..."; -1 in others.
int numberIn(std::string_view line, std::string_view key) {
    if (!line.starts_with(key)) {
        return -1;
    }
    line.remove_prefix(key.size());
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos || colon == 0) {
        return colon == 0 ? 0 : -1;
    }
    const auto number = detail::lists::numberOf(line.substr(0, colon));
    return line.starts_with(' ') && number && *number >= 0 && *number < 1e6
               ? static_cast<int>(*number)
               : -1;
}

/// Names of the templates by their numbers, which comments state.
std::vector<std::string> templateNames(const std::vector<std::string>& comments) {
    std::vector<std::string> names;
    for (const std::string_view key : {kTemplate, kSpecies}) { // a name of its own counts
        for (const std::string& line : comments) {
            const int number = numberIn(line, key);
            // Templates are listed in order; what skips one is no line of this program.
            if (number < 0 || number > std::ssize(names)) {
                continue;
            }
            std::string name = line.substr(line.find(": ") + 2);
            if (key == kTemplate) {
                name = base::restoredText(name.substr(0, name.rfind(" (")));
                name = std::filesystem::path(name).stem().string();
            }
            if (number == std::ssize(names)) {
                names.emplace_back();
            }
            names[static_cast<std::size_t>(number)] = name;
        }
    }
    return names;
}

/// The number of the column; the number of columns without it.
std::size_t columnOf(const PositionList& list, std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(list.columns, name, &ListColumn::name) -
                                    list.columns.begin());
}

std::string cellOf(const ListedPosition& position, std::size_t column) {
    return column < position.cells.size() ? position.cells[column] : std::string();
}

/// Whether names of rows are those of species: names of single positions are all different.
bool nameSeveral(const PositionList& list, std::size_t column) {
    std::set<std::string> names;
    for (const ListedPosition& position : list.positions) {
        names.insert(cellOf(position, column));
    }
    return list.positions.size() < 2 || names.size() < list.positions.size();
}

void takeNames(PositionList& list, std::size_t column) {
    for (ListedPosition& position : list.positions) {
        const std::string name = cellOf(position, column);
        const auto found = std::ranges::find(list.species, name);
        position.species = static_cast<int>(found - list.species.begin());
        if (found == list.species.end()) {
            list.species.push_back(name);
        }
    }
}

} // namespace

std::optional<ListedTemplates> templatesOf(const PositionList& list) {
    const std::size_t column = columnOf(list, kTemplate);
    if (column == list.columns.size()) {
        return std::nullopt;
    }
    constexpr double kMost = 1e6;
    ListedTemplates templates;
    std::set<int> numbers;
    for (std::size_t i = 0; i < templateNames(list.comments).size(); ++i) {
        numbers.insert(static_cast<int>(i));
    }
    for (const ListedPosition& position : list.positions) {
        const auto number = detail::lists::numberOf(cellOf(position, column));
        if (!number || *number < 0 || *number > kMost || *number != std::floor(*number)) {
            return std::nullopt;
        }
        templates.of.push_back(static_cast<int>(*number));
        numbers.insert(templates.of.back());
    }
    templates.numbers.assign(numbers.begin(), numbers.end());
    return templates;
}

std::string speciesComment(std::size_t templ, const std::string& species) {
    return std::string(kSpecies) + " " + std::to_string(templ) + ": " + species;
}

void nameSpecies(PositionList& list) {
    list.species.clear();
    const std::size_t stated = columnOf(list, kSpecies);
    const std::size_t named = columnOf(list, "name");
    const std::size_t templ = columnOf(list, kTemplate);
    if (stated < list.columns.size()) {
        takeNames(list, stated);
    } else if (named < list.columns.size() && nameSeveral(list, named)) {
        takeNames(list, named);
    } else if (templ < list.columns.size()) {
        list.species = templateNames(list.comments);
        const bool known = std::ranges::all_of(list.positions, [&](const ListedPosition& position) {
            const auto number = detail::lists::numberOf(cellOf(position, templ));
            return number && *number >= 0 && *number < static_cast<double>(list.species.size());
        });
        if (!known) {
            list.species.clear();
            takeNames(list, templ);
            return;
        }
        for (ListedPosition& position : list.positions) {
            position.species = static_cast<int>(*detail::lists::numberOf(cellOf(position, templ)));
        }
    }
}

} // namespace flcc::io
