#include "engine/io/volume/gatan_tags.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fstream>
#include <string_view>
#include <vector>

#include "engine/base/open_file.h"
#include "engine/io/format/headers.h"

namespace flcc::io::detail {

namespace {

/// Kinds of values. An array and a structure are followed by what they hold.
constexpr std::int64_t kStructure = 15;
constexpr std::int64_t kText = 18;
constexpr std::int64_t kArray = 20;
constexpr std::int64_t kTextLetter = 4; ///< texts are arrays of 16-bit letters

/// Bytes of a value by its kind; 0 for what is no number.
std::int64_t gatanBytes(std::int64_t kind) {
    constexpr std::array<std::int64_t, 13> kBytes{0, 0, 2, 4, 2, 4, 4, 8, 1, 1, 1, 8, 8};
    return kind >= 0 && kind < std::ssize(kBytes) ? kBytes[static_cast<std::size_t>(kind)] : 0;
}

void addUtf8(std::string& text, unsigned letter) {
    const bool half = letter >= 0xd800 && letter < 0xe000; // of a letter that no unit has
    if (letter < 0x80 || half) {
        text += half ? '?' : static_cast<char>(letter);
        return;
    }
    if (letter < 0x800) {
        text += static_cast<char>(0xc0 | (letter >> 6));
    } else {
        text += static_cast<char>(0xe0 | (letter >> 12));
        text += static_cast<char>(0x80 | ((letter >> 6) & 0x3f));
    }
    text += static_cast<char>(0x80 | (letter & 0x3f));
}

bool isWanted(std::string_view name) {
    return name.starts_with("Thumbnails/") ||
           (name.starts_with("ImageList/") && name.find("/ImageData/") != name.npos &&
            name.find("/ImageTags/") == name.npos);
}

class GatanParser {
  public:
    explicit GatanParser(const std::filesystem::path& path)
        : m_path(path), m_size(requireRegularFile(path)), m_stream(base::openFile(path)) {}

    GatanTags parse() {
        const auto version = number<std::int32_t>(kBig);
        if (version != 3 && version != 4) {
            damaged();
        }
        m_wide = version == 4;
        (void)length(); // of the file
        const auto little = number<std::int32_t>(kBig);
        m_tags.swapped = (little == 1) != (std::endian::native == std::endian::little);
        group("", 0);
        return std::move(m_tags);
    }

  private:
    static constexpr bool kBig =
        std::endian::native == std::endian::little; ///< swap for big endian

    [[noreturn]] void damaged() const { failInput(m_path, "the tags of the file are damaged"); }

    Bytes bytes(std::int64_t count) {
        Bytes all(static_cast<std::size_t>(count));
        if (!m_stream.read(reinterpret_cast<char*>(all.data()), count)) {
            failInput(m_path, "the file is truncated; its tags go on behind its end");
        }
        m_at += count;
        return all;
    }
    template <class Number> Number number(bool swapped) {
        return field<Number>(bytes(sizeof(Number)), 0, swapped);
    }
    /// Lengths have 4 bytes in DM3 and 8 in DM4.
    std::int64_t length() {
        return m_wide ? number<std::int64_t>(kBig) : number<std::int32_t>(kBig);
    }
    void skip(std::int64_t count) {
        if (count < 0 || count > m_size - m_at) {
            failInput(m_path, "the file is truncated; its tags go on behind its end");
        }
        m_at += count;
        if (!m_stream.seekg(m_at)) {
            damaged();
        }
    }

    void group(const std::string& name, int depth) {
        constexpr int kDeepest = 64;
        constexpr std::int64_t kMost = 4'000'000; // entries of all groups
        (void)bytes(2);                           // sorted; open
        const std::int64_t entries = length();
        m_entries += entries;
        if (entries < 0 || m_entries > kMost || depth > kDeepest) {
            damaged();
        }
        for (std::int64_t i = 0; i < entries; ++i) {
            entry(name, i, depth);
        }
    }

    void entry(const std::string& above, std::int64_t index, int depth) {
        const auto kind = number<std::uint8_t>(false);
        const Bytes label = bytes(number<std::uint16_t>(kBig));
        std::string name = above + (above.empty() ? "" : "/");
        name += label.empty() ? std::to_string(index) : std::string(label.begin(), label.end());
        if (m_wide) {
            (void)number<std::int64_t>(kBig); // bytes of the entry
        }
        if (kind == 20) {
            group(name, depth + 1);
        } else if (kind == 21) {
            value(name);
        } else {
            damaged();
        }
    }

    void value(const std::string& name) {
        constexpr std::int64_t kMostFacts = 1 << 16;
        const Bytes mark = bytes(4);
        const std::int64_t count = length();
        if (std::string(mark.begin(), mark.end()) != "%%%%" || count < 1 || count > kMostFacts) {
            damaged();
        }
        std::vector<std::int64_t> facts;
        for (std::int64_t i = 0; i < count; ++i) {
            facts.push_back(length());
        }
        if (facts[0] == kArray && count >= 3) {
            array(name, facts);
        } else if (facts[0] == kStructure) {
            skip(structureBytes(facts, 0));
        } else if (facts[0] == kText && count >= 2) {
            skip(facts[1]);
        } else if (gatanBytes(facts[0]) > 0) {
            simple(name, facts[0]);
        } else {
            damaged();
        }
    }

    /// "15, length of a name, number of fields", then a length of a name and a kind for each.
    std::int64_t structureBytes(const std::vector<std::int64_t>& facts, std::size_t at) const {
        const std::int64_t fields = at + 2 < facts.size() ? facts[at + 2] : -1;
        if (fields < 0 || fields > (std::ssize(facts) - static_cast<std::int64_t>(at) - 3) / 2) {
            damaged();
        }
        std::int64_t sum = 0;
        for (std::int64_t i = 0; i < fields; ++i) {
            sum += gatanBytes(facts[at + 4 + 2 * static_cast<std::size_t>(i)]);
        }
        return sum;
    }

    void array(const std::string& name, const std::vector<std::int64_t>& facts) {
        GatanArray found{.offset = m_at, .count = facts.back(), .bytes = gatanBytes(facts[1])};
        std::int64_t bytesOfOne = found.bytes;
        if (facts[1] == kStructure) {
            bytesOfOne = structureBytes(facts, 1);
        } else if (bytesOfOne == 0) {
            damaged();
        }
        if (found.count < 0) {
            damaged();
        }
        constexpr std::int64_t kLongestText = 64;
        const bool wanted = isWanted(name);
        if (wanted && facts[1] == kTextLetter && found.count <= kLongestText) {
            std::string& text = m_tags.texts[name];
            for (std::int64_t i = 0; i < found.count; ++i) {
                addUtf8(text, number<std::uint16_t>(m_tags.swapped));
            }
        } else {
            skip(cappedProduct(found.count, bytesOfOne));
        }
        if (wanted) {
            m_tags.arrays[name] = found;
        }
    }

    void simple(const std::string& name, std::int64_t kind) {
        const bool swapped = m_tags.swapped;
        double value = 0;
        switch (kind) {
        case 2:
            value = number<std::int16_t>(swapped);
            break;
        case 3:
            value = number<std::int32_t>(swapped);
            break;
        case 4:
            value = number<std::uint16_t>(swapped);
            break;
        case 5:
            value = number<std::uint32_t>(swapped);
            break;
        case 6:
            value = static_cast<double>(number<float>(swapped));
            break;
        case 7:
            value = number<double>(swapped);
            break;
        case 11:
            value = static_cast<double>(number<std::int64_t>(swapped));
            break;
        case 12:
            value = static_cast<double>(number<std::uint64_t>(swapped));
            break;
        default:
            value = number<std::uint8_t>(swapped);
            break;
        }
        if (isWanted(name)) {
            m_tags.numbers[name] = value;
        }
    }

    const std::filesystem::path& m_path;
    std::int64_t m_size;
    std::ifstream m_stream;
    std::int64_t m_at = 0;
    std::int64_t m_entries = 0;
    bool m_wide = false; ///< DM4
    GatanTags m_tags;
};

} // namespace

std::optional<double> GatanTags::number(const std::string& name) const {
    const auto found = numbers.find(name);
    return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

GatanTags readGatanTags(const std::filesystem::path& path) { return GatanParser(path).parse(); }

} // namespace flcc::io::detail
