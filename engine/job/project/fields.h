#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/text.h"

// Values as JSON and back, member by member. What a struct holds is said once, by FLCC_FIELDS.

namespace flcc::job::detail::project {

using Json = nlohmann::ordered_json;

class Writer;
class Reader;

/// Two functions that write and read a struct member by member: FLCC_FIELDS(Spread, min, median,
/// max). The binding does not compile unless all members are named, so that a new member cannot be
/// forgotten; one that is not to be stored needs a function written by hand, with the reason.
#define FLCC_FIELDS(Type, ...)                                                                     \
    template <class Archive> void fields(Archive& archive, Type& self) {                           \
        { [[maybe_unused]] const auto& [__VA_ARGS__] = self; }                                     \
        FLCC_EACH(FLCC_FIELD, __VA_ARGS__)                                                         \
    }
#define FLCC_FIELD(member) archive(#member, self.member);

// A macro for each of a list of words, at most 256.
#define FLCC_EXPAND(...) FLCC_EXPAND3(FLCC_EXPAND3(FLCC_EXPAND3(FLCC_EXPAND3(__VA_ARGS__))))
#define FLCC_EXPAND3(...) FLCC_EXPAND2(FLCC_EXPAND2(FLCC_EXPAND2(FLCC_EXPAND2(__VA_ARGS__))))
#define FLCC_EXPAND2(...) FLCC_EXPAND1(FLCC_EXPAND1(FLCC_EXPAND1(FLCC_EXPAND1(__VA_ARGS__))))
#define FLCC_EXPAND1(...) __VA_ARGS__
#define FLCC_EACH(what, ...) __VA_OPT__(FLCC_EXPAND(FLCC_NEXT(what, __VA_ARGS__)))
#define FLCC_NEXT(what, first, ...)                                                                \
    what(first) __VA_OPT__(FLCC_AGAIN FLCC_PARENS(what, __VA_ARGS__))
#define FLCC_AGAIN() FLCC_NEXT
#define FLCC_PARENS ()

/// How many values an enumeration has, from 0. Its words are those of name().
template <class Enum> inline constexpr int kValues = 0;

template <class T> struct IsOptional : std::false_type {};
template <class T> struct IsOptional<std::optional<T>> : std::true_type {};
template <class T> struct IsVector : std::false_type {};
template <class T> struct IsVector<std::vector<T>> : std::true_type {};
template <class T> struct IsArray : std::false_type {};
template <class T, std::size_t N> struct IsArray<std::array<T, N>> : std::true_type {};
template <class T> struct IsPair : std::false_type {};
template <class A, class B> struct IsPair<std::pair<A, B>> : std::true_type {};

[[noreturn]] inline void refuse(const std::string& why) {
    throw base::Error(base::ErrorCode::Input, why);
}

template <class T> [[nodiscard]] Json written(const T& value);

/// Puts the members of a struct into an object.
class Writer {
  public:
    template <class T> void operator()(const char* name, T& value) { json[name] = written(value); }
    Json json = Json::object();
};

/// Takes the members of a struct from an object. One that the file lacks stays as it is.
class Reader {
  public:
    explicit Reader(const Json& from) : m_json(from) {
        if (!from.is_object()) {
            refuse("a value that has members is none");
        }
    }
    template <class T> void operator()(const char* name, T& value);
    /// A member, or null.
    [[nodiscard]] const Json* find(const char* name) const {
        const auto found = m_json.find(name);
        return found == m_json.end() ? nullptr : &*found;
    }
    /// A member that is a list; an empty one where the file lacks it.
    [[nodiscard]] const Json& list(const char* name) const {
        static const Json empty = Json::array();
        const Json* const found = find(name);
        if (found != nullptr && !found->is_array()) {
            refuse(std::string(name) + ": a list is none");
        }
        return found == nullptr ? empty : *found;
    }

  private:
    const Json& m_json;
};

/// A number that JSON has no word for is a text.
[[nodiscard]] inline Json numberJson(double value) {
    return std::isfinite(value) ? Json(value)
           : std::isnan(value)  ? Json("nan")
                                : Json(value > 0 ? "inf" : "-inf");
}
[[nodiscard]] inline double numberOf(const Json& json) {
    if (json.is_number()) {
        return json.get<double>();
    }
    const std::string text = json.is_string() ? json.get<std::string>() : std::string();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return text == "inf"    ? kInfinity
           : text == "-inf" ? -kInfinity
           : text == "nan"  ? std::numeric_limits<double>::quiet_NaN()
                            : (refuse("a number is none"), 0);
}

template <class T> Json written(const T& value) {
    if constexpr (std::same_as<T, bool>) {
        return value;
    } else if constexpr (std::is_enum_v<T>) {
        static_assert(kValues<T> > 0, "kValues of this enumeration");
        return std::string(name(value));
    } else if constexpr (std::floating_point<T>) {
        return numberJson(static_cast<double>(value));
    } else if constexpr (std::integral<T>) {
        return value;
    } else if constexpr (std::same_as<T, std::string>) {
        return base::storedText(value);
    } else if constexpr (std::same_as<T, std::filesystem::path>) {
        return base::storedText(value.native());
    } else if constexpr (IsOptional<T>::value) {
        return value ? written(*value) : Json(nullptr);
    } else if constexpr (IsVector<T>::value || IsArray<T>::value) {
        Json json = Json::array();
        for (const auto& each : value) {
            json.push_back(written(each));
        }
        return json;
    } else if constexpr (IsPair<T>::value) {
        return Json::array({written(value.first), written(value.second)});
    } else {
        Writer writer;
        fields(writer, const_cast<T&>(value)); // a Writer changes nothing
        return std::move(writer.json);
    }
}

template <class T> void read(const Json& json, T& value) {
    if constexpr (std::same_as<T, bool>) {
        value = json.get<bool>();
    } else if constexpr (std::is_enum_v<T>) {
        const auto word = json.get<std::string>();
        for (int i = 0; i < kValues<T>; ++i) {
            if (name(static_cast<T>(i)) == word) {
                value = static_cast<T>(i);
                return;
            }
        }
        refuse("\"" + word + "\" is no word that this version knows");
    } else if constexpr (std::floating_point<T>) {
        value = static_cast<T>(numberOf(json));
    } else if constexpr (std::integral<T>) {
        if (!json.is_number_integer() || !std::in_range<T>(json.get<std::int64_t>())) {
            refuse("a whole number is none, or out of range");
        }
        value = static_cast<T>(json.get<std::int64_t>());
    } else if constexpr (std::same_as<T, std::string>) {
        value = base::restoredText(json.get<std::string>());
    } else if constexpr (std::same_as<T, std::filesystem::path>) {
        value = base::restoredText(json.get<std::string>());
    } else if constexpr (IsOptional<T>::value) {
        value.reset();
        if (!json.is_null()) {
            typename T::value_type inner{};
            read(json, inner);
            value = std::move(inner);
        }
    } else if constexpr (IsVector<T>::value) {
        if (!json.is_array()) {
            refuse("a list is none");
        }
        value.clear();
        for (const Json& each : json) {
            read(each, value.emplace_back());
        }
    } else if constexpr (IsArray<T>::value) {
        if (!json.is_array() || json.size() != value.size()) {
            refuse("a list has another length");
        }
        for (std::size_t i = 0; i < value.size(); ++i) {
            read(json[i], value[i]);
        }
    } else if constexpr (IsPair<T>::value) {
        if (!json.is_array() || json.size() != 2) {
            refuse("a pair is none");
        }
        read(json[0], value.first);
        read(json[1], value.second);
    } else {
        Reader reader(json);
        fields(reader, value);
    }
}

template <class T> void Reader::operator()(const char* name, T& value) {
    if (const auto found = m_json.find(name); found != m_json.end()) {
        try {
            read(*found, value);
        } catch (const base::Error& error) { // the way to it is known here
            refuse(std::string(name) + ": " + error.what());
        } catch (const nlohmann::json::exception&) {
            refuse(std::string(name) + ": the value is of another type");
        }
    }
}

} // namespace flcc::job::detail::project
