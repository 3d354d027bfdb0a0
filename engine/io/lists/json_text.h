#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "engine/base/geometry.h"

namespace flcc::io::detail::lists {

using JsonValue = nlohmann::ordered_json;

/// The text of a document; names of files in it may be no UTF-8.
[[nodiscard]] std::string dumped(JsonValue json);

/// Parses and hands the document on. **Errors**: Input, also for what `take` finds to be of another
/// type.
void parsed(std::string_view text, const std::filesystem::path& name,
            const std::function<void(const JsonValue&)>& take);

/// The three numbers of an array.
[[nodiscard]] base::Point pointOf(const JsonValue& json);

} // namespace flcc::io::detail::lists
