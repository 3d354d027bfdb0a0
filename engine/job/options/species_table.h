#pragma once

#include "engine/job/difference.h"

namespace flcc::job::detail {

/// Sets ComparedLists::table or noTable by the species of both lists. The same names in the same
/// order are the same species. Else a name of A is the species of B with the same name, whatever
/// the case of letters, or with the longest name of which one contains the other as whole words:
/// "template-4v94" is of "4v94". Where B numbers its species, the numbers are those of A's
/// templates.
void setSpeciesTable(ComparedLists& lists, const match::ComparisonOptions& options);

} // namespace flcc::job::detail
