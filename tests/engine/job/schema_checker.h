#pragma once

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

namespace flcc::test {

/// The schema in resources/schemas.
inline nlohmann::json schemaOf(const std::string& file) {
    std::ifstream stream(FLCC_SOURCE "/resources/schemas/" + file);
    return nlohmann::json::parse(stream);
}

inline bool isOfType(const nlohmann::json& value, const std::string& type) {
    return type == "null"      ? value.is_null()
           : type == "object"  ? value.is_object()
           : type == "array"   ? value.is_array()
           : type == "string"  ? value.is_string()
           : type == "boolean" ? value.is_boolean()
           : type == "integer" ? value.is_number_integer()
           : type == "number"  ? value.is_number()
                               : false;
}

/// Checks the few keywords of JSON Schema that our schema uses, and refuses others.
class SchemaChecker {
  public:
    explicit SchemaChecker(nlohmann::json schema) : m_schema(std::move(schema)) {}

    /// The first fault with its place; empty if there is none.
    [[nodiscard]] std::string fault(const nlohmann::json& value) const {
        return fault(value, m_schema, "document");
    }

  private:
    [[nodiscard]] std::string fault(const nlohmann::json& value, const nlohmann::json& schema,
                                    const std::string& at) const {
        for (const auto& [keyword, rule] : schema.items()) {
            const std::string found = faultOf(value, schema, keyword, rule, at);
            if (!found.empty()) {
                return found;
            }
        }
        return {};
    }

    [[nodiscard]] std::string faultOf(const nlohmann::json& value, const nlohmann::json& schema,
                                      const std::string& keyword, const nlohmann::json& rule,
                                      const std::string& at) const {
        if (keyword == "$ref") {
            const auto target = nlohmann::json::json_pointer(rule.get<std::string>().substr(1));
            return fault(value, m_schema.at(target), at);
        }
        if (keyword == "type") {
            bool any = false;
            for (const nlohmann::json& type :
                 rule.is_array() ? rule : nlohmann::json::array({rule})) {
                any = any || isOfType(value, type.get<std::string>());
            }
            return any ? "" : at + " has the wrong type: " + value.dump().substr(0, 60);
        }
        if (keyword == "const") {
            return value == rule ? "" : at + " is not " + rule.dump();
        }
        if (keyword == "enum") {
            const bool any = std::find(rule.begin(), rule.end(), value) != rule.end();
            return any ? "" : at + " is none of " + rule.dump() + ": " + value.dump();
        }
        if (keyword == "required" && value.is_object()) {
            for (const nlohmann::json& key : rule) {
                if (!value.contains(key.get<std::string>())) {
                    return at + " lacks " + key.dump();
                }
            }
        } else if (keyword == "properties" && value.is_object()) {
            for (const auto& [key, inner] : rule.items()) {
                const std::string found =
                    value.contains(key) ? fault(value.at(key), inner, at + "." + key) : "";
                if (!found.empty()) {
                    return found;
                }
            }
        } else if (keyword == "additionalProperties" && value.is_object()) {
            for (const auto& [key, inner] : value.items()) {
                const bool known =
                    schema.contains("properties") && schema.at("properties").contains(key);
                if (!known && rule.is_boolean() && !rule.get<bool>()) {
                    return at + " has the unknown key \"" + key + "\"";
                }
                const std::string found =
                    known || rule.is_boolean() ? "" : fault(inner, rule, at + "." + key);
                if (!found.empty()) {
                    return found;
                }
            }
        } else if (keyword == "items" && value.is_array()) {
            for (std::size_t i = 0; i < value.size(); ++i) {
                const std::string found = fault(value[i], rule, at + "[" + std::to_string(i) + "]");
                if (!found.empty()) {
                    return found;
                }
            }
        } else if ((keyword == "minItems" || keyword == "maxItems") && value.is_array()) {
            const bool good = keyword == "minItems" ? value.size() >= rule.get<std::size_t>()
                                                    : value.size() <= rule.get<std::size_t>();
            return good ? "" : at + " has " + std::to_string(value.size()) + " items";
        } else if (keyword == "oneOf") {
            std::string faults;
            int good = 0;
            for (const nlohmann::json& each : rule) {
                const std::string found = fault(value, each, at);
                good += found.empty() ? 1 : 0;
                faults += found + "; ";
            }
            return good == 1 ? "" : at + " fits " + std::to_string(good) + " of oneOf: " + faults;
        } else if (std::string("$schema $id $defs title description required properties "
                               "additionalProperties items minItems maxItems")
                       .find(keyword) == std::string::npos) {
            return "the schema has the keyword " + keyword + ", which this test does not know";
        }
        return {};
    }

    nlohmann::json m_schema;
};

} // namespace flcc::test
