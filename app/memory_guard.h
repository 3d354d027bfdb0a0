#pragma once

namespace flcc::app {

/// Prints `sentence`, which allocates nothing, and ends the process with code 5. Removes the
/// temporary files before.
[[noreturn]] void endWithoutMemory(const char* sentence) noexcept;

/// From now on the process ends with `sentence` and code 5, as a last resort, where it would end
/// for lack of memory otherwise:
/// - std::bad_alloc in a destructor or a function that must not throw, as in nlohmann::json;
/// - abort() of a library after malloc failed, as of FFTW, which prints a line of its own before;
/// - a library that follows the null pointer of malloc, as Qt, fontconfig and Mesa in the window.
/// `sentence` is a line of text that is never freed.
void guardMemory(const char* sentence);

/// From now on the process also ends so where `new` fails and 64 KiB are not free either: libraries
/// that are not written for that, as those of the window, get no exception. A larger allocation
/// that fails throws std::bad_alloc, after kept buffers were freed and it was tried again. Call
/// after guardMemory().
void endWhereNewFails();

} // namespace flcc::app
