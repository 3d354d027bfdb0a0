#include "engine/job/options/species_table.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>

#include "engine/base/text.h"

namespace flcc::job::detail {

namespace {

using Names = std::vector<std::string>;

constexpr std::size_t kMostNamed = 5; // in a sentence

bool isLetter(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0; }

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char letter) {
        return static_cast<char>(std::tolower(letter));
    });
    return text;
}

/// Whether `word` stands in `text` with no letter or digit beside it.
bool containsWord(std::string_view text, std::string_view word) {
    if (word.empty()) {
        return false;
    }
    for (std::size_t at = text.find(word); at != std::string_view::npos;
         at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !isLetter(text[at - 1])) && (end == text.size() || !isLetter(text[end]))) {
            return true;
        }
    }
    return false;
}

/// The species of B by its name; -1: none.
int speciesNamed(const std::string& name, const Names& species) {
    const std::string wanted = lower(name);
    int best = -1;
    std::size_t length = 0;
    for (std::size_t i = 0; i < species.size(); ++i) {
        const std::string other = lower(species[i]);
        if (other == wanted) {
            return static_cast<int>(i);
        }
        if (other.size() > length && (containsWord(wanted, other) || containsWord(other, wanted))) {
            best = static_cast<int>(i);
            length = other.size();
        }
    }
    return best;
}

/// The number that a name is; -1 for another name.
int numberOf(const std::string& name) {
    int number = -1;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
    return read.ec == std::errc() && read.ptr == name.data() + name.size() ? number : -1;
}

/// Of each name of A the species of B, or -1.
std::vector<int> speciesOf(const Names& a, const Names& b) {
    std::vector<int> found(a.size(), -1);
    const auto ofA = [&](const std::string& name) {
        const int number = numberOf(name);
        return number >= 0 && number < std::ssize(a);
    };
    const bool alike = a == b;
    const bool numbered = std::ranges::all_of(b, ofA) && !std::ranges::all_of(a, ofA);
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (alike) {
            found[i] = static_cast<int>(i);
        } else if (!numbered) {
            found[i] = speciesNamed(a[i], b);
        }
    }
    for (std::size_t i = 0; numbered && !alike && i < b.size(); ++i) {
        found[static_cast<std::size_t>(numberOf(b[i]))] = static_cast<int>(i);
    }
    return found;
}

std::string listed(const Names& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size() && i < kMostNamed; ++i) {
        text += (i == 0 ? "" : ", ") + base::excerpt(names[i]);
    }
    return text + (names.size() > kMostNamed ? ", ..." : "");
}

/// The positions; one more kind, without a name, where a position has no species.
match::KindPositions kindsOf(const io::PositionList& list, Names& names) {
    match::KindPositions of;
    const bool unnamed = std::ranges::any_of(
        list.positions, [](const io::ListedPosition& each) { return each.species < 0; });
    if (unnamed) {
        names.emplace_back("unnamed");
    }
    of.count = static_cast<int>(names.size());
    for (const io::ListedPosition& position : list.positions) {
        of.positions.push_back({position.centre, {}});
        of.kinds.push_back(position.species < 0 ? of.count - 1 : position.species);
    }
    return of;
}

} // namespace

void setSpeciesTable(ComparedLists& lists, const match::ComparisonOptions& options) {
    const Names& a = lists.a.species;
    const Names& b = lists.b.species;
    if (a.empty() || b.empty() || (a.size() == 1 && b.size() == 1)) {
        return;
    }
    std::vector<int> of = speciesOf(a, b);
    if (std::ranges::all_of(of, [](int species) { return species < 0; })) {
        lists.noTable = "no table of species: none of A (" + listed(a) +
                        ") has the name of one of B (" + listed(b) +
                        "); match --species names those of the templates";
        return;
    }
    SpeciesTable table{.species = b, .templates = a, .confusion = {}};
    const match::KindPositions ofA = kindsOf(lists.a, table.templates);
    const match::KindPositions ofB = kindsOf(lists.b, table.species);
    of.resize(table.templates.size(), -1);
    table.confusion = match::confusionOf(ofA, ofB, of, options);
    lists.table = std::move(table);
}

} // namespace flcc::job::detail
