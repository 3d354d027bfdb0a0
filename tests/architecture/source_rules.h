#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flcc::architecture {

/// One #include of a file.
struct Include {
    int line = 0;
    std::string name;   ///< between the quotes or brackets
    bool angle = false; ///< <name>, not "name"
};

/// The #include lines of a source text; those in comments do not count.
[[nodiscard]] std::vector<Include> includesOf(std::string_view text);

/// True for the header of another folder's contract: base, method, plan, match, features, sample,
/// io and job of the engine, outside a detail/ folder. `path` is relative to the project.
[[nodiscard]] bool isPublicHeader(std::string_view path);

/// What is wrong with the includes of the file `path` (relative to the project): a layer that
/// points up, a later room, a private room, a third-party header outside its room, a third-party
/// header in a public one. One sentence each, with path and line; empty when nothing is.
[[nodiscard]] std::vector<std::string> includeFaults(std::string_view path, std::string_view text);

/// Beyond includes: more than 600 lines in a source file, a macro that is not allowed, the name of
/// a built-in sample in a place that must not know one. Empty when nothing is wrong.
[[nodiscard]] std::vector<std::string> sourceFaults(std::string_view path, std::string_view text);

/// String literals of the program's code that are the name of a method, outside the `name()` of a
/// method: code asks for `method::Traits` instead.
[[nodiscard]] std::vector<std::string> methodNameFaults(std::string_view path,
                                                        std::string_view text);

/// Code that asks which match operation it has, by name, by number or by a function such as isSad.
/// It must ask for the property that it needs (method::OperationTraits), so that operations stay
/// rows of one table.
[[nodiscard]] std::vector<std::string> operationFaults(std::string_view path,
                                                       std::string_view text);

/// The classes, with their namespaces, of which the text of a source file defines member functions
/// outside of the class.
[[nodiscard]] std::vector<std::string> classesDefinedIn(std::string_view text);

/// Lines that name a folder of one machine, which no other has. Any text file.
[[nodiscard]] std::vector<std::string> machinePathFaults(std::string_view path,
                                                         std::string_view text);

/// A README.md of a room that is longer than 40 lines, or has a line of more than 130 bytes that is
/// not of a table. Empty for other files, and for that of the top folder.
[[nodiscard]] std::vector<std::string> readmeFaults(std::string_view path, std::string_view text);

/// Folders of programs, not of tests, that hold more than 40 source files themselves.
[[nodiscard]] std::vector<std::string> folderFaults(const std::vector<std::string>& paths);

/// Names in the top folder that have no place there. Hidden ones and build/ are the tools'.
[[nodiscard]] std::vector<std::string> topLevelFaults(const std::vector<std::string>& names);

} // namespace flcc::architecture
