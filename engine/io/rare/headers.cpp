#include "engine/io/rare/headers.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

#include "engine/base/error.h"

namespace flcc::io::detail {

void refuseItk(const std::string& sentence) { throw base::Error(base::ErrorCode::Input, sentence); }

std::vector<std::string> wordsOf(std::string_view line) {
    std::vector<std::string> words;
    std::string word;
    for (const char letter : line) {
        if (std::isspace(static_cast<unsigned char>(letter)) == 0) {
            word += letter;
        } else if (!word.empty()) {
            words.push_back(std::exchange(word, {}));
        }
    }
    if (!word.empty()) {
        words.push_back(word);
    }
    return words;
}

double numberOf(const std::string& word) {
    double value = 0;
    const char* const begin = word.data() + (word.starts_with('+') ? 1 : 0);
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc{} || stop != end || !std::isfinite(value)) {
        refuseItk("it has \"" + word.substr(0, 32) + "\" where a number should be");
    }
    return value;
}

std::int64_t promisedBytes(const ItkHeader& header) {
    constexpr std::int64_t kMost = std::int64_t{1} << 56;
    std::int64_t promised = base::bytesPerVoxel(header.stored);
    for (const std::int64_t length : {header.extents.x, header.extents.y, header.extents.z,
                                      header.frames, std::int64_t{header.components}}) {
        if (length < 1) {
            refuseItk("its header gives the extents " + base::toString(header.extents));
        }
        if (promised > kMost / length) {
            refuseItk("its header promises more voxels than a file can hold");
        }
        promised *= length;
    }
    return promised;
}

void requireVoxels(ItkHeader& header) {
    const std::int64_t promised = promisedBytes(header);
    if (header.present < 0) {
        std::error_code error;
        const auto size = std::filesystem::file_size(header.voxels, error);
        header.present =
            std::max<std::int64_t>(0, error ? 0 : static_cast<std::int64_t>(size) - header.offset);
    }
    if (header.present < promised) {
        refuseItk("the file is truncated; its header promises " + std::to_string(promised) +
                  " bytes of voxels and " + std::to_string(header.present) + " are there");
    }
    if (header.present > promised) {
        header.notes.push_back(std::to_string(header.present - promised) +
                               " bytes behind its voxels were not read");
    }
}

std::int64_t lengthOf(double number) {
    if (!(number >= 1 && number < 0x1p31 && number == std::floor(number))) {
        refuseItk("its header gives a size of " + std::to_string(number));
    }
    return static_cast<std::int64_t>(number);
}

} // namespace flcc::io::detail
