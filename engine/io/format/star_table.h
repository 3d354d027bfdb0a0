#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flcc::io::detail {

/// A table of a STAR file: a loop, or the single values of a block as a row of their own. Views
/// into the text.
struct StarTable {
    std::string_view name; ///< of its block, after "data_"
    std::vector<std::string_view> columns;
    std::vector<std::vector<std::string_view>> rows;

    /// The number of a column such as "rlnTomoName"; empty without it.
    [[nodiscard]] std::optional<std::size_t> column(std::string_view name) const;
    [[nodiscard]] std::string_view text(std::size_t row, std::string_view name) const;
    /// A number of a row; empty without the column. **Errors**: Input for what is no number.
    [[nodiscard]] std::optional<double> number(std::size_t row, std::string_view name,
                                               const std::filesystem::path& path) const;
};

/// The tables of a STAR file. A value in quotes may have blanks; what follows a '#' after a blank
/// is a comment. **Errors**: Input for a row that has not as many values as its loop has columns,
/// and for quotes that are not closed.
/// **Source**: Hall, J. Chem. Inf. Comput. Sci. 31, 1991, the parts that RELION and Warp write.
[[nodiscard]] std::vector<StarTable> starTables(std::string_view text,
                                                const std::filesystem::path& path);

} // namespace flcc::io::detail
