#pragma once

#include <string>
#include <vector>

#include <gdcmDataSet.h>
#include <gdcmTag.h>

namespace flcc::io::detail {

/// The text of an element, printable and without padding; empty if it is missing.
[[nodiscard]] std::string textOf(const gdcm::DataSet& data, const gdcm::Tag& tag);

/// The numbers of an element: those of its text, or stored as integers or floating-point numbers;
/// empty if it is missing or holds something else.
[[nodiscard]] std::vector<double> numbersOf(const gdcm::DataSet& data, const gdcm::Tag& tag);

/// The items of a sequence; empty if it is missing. **Cost**: their values are shared, not copied.
[[nodiscard]] std::vector<gdcm::DataSet> itemsOf(const gdcm::DataSet& data, const gdcm::Tag& tag);

/// The value of an element as text, also if it is stored as numbers; looked for in the sequences of
/// `data` too, up to `depth` of them within each other, but not in private ones.
[[nodiscard]] std::string valueWithin(const gdcm::DataSet& data, const gdcm::Tag& tag, int depth);

/// Four digits behind the point.
[[nodiscard]] std::string shortNumber(double value);

} // namespace flcc::io::detail
