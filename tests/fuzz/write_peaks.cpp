// Writes peaks and texts made of the bytes as CSV and TSV, and reads the rows back: whatever a path
// or a unit holds, comments stay comments, every row has every column, and numbers keep their bits.

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <sstream>

#include "engine/io/peak_file.h"
#include "tests/fuzz/input_file.h"

namespace {

using flcc::fuzz::require;

/// The bytes of the input, one value after the other; zeros at the end.
class Values {
  public:
    Values(const std::uint8_t* data, std::size_t size) : m_data(data), m_left(size) {}

    [[nodiscard]] bool empty() const { return m_left == 0; }
    template <class T> T next() {
        T value{};
        const std::size_t count = std::min(sizeof(T), m_left);
        std::memcpy(&value, m_data, count);
        m_data += count;
        m_left -= count;
        return value;
    }
    std::string text() {
        std::string text(std::min<std::size_t>(next<std::uint8_t>(), m_left), ' ');
        for (char& letter : text) {
            letter = next<char>();
        }
        return text;
    }

  private:
    const std::uint8_t* m_data;
    std::size_t m_left;
};

void requireNumber(const std::string& cell, double expected) {
    double value = 0;
    const auto result = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    require(result.ec == std::errc() && result.ptr == cell.data() + cell.size());
    require(std::isnan(expected)
                ? std::isnan(value)
                : std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(expected));
}

void requireTable(const std::string& text, char separator,
                  const std::vector<flcc::match::Peak>& peaks) {
    std::istringstream lines(text);
    std::size_t rows = 0; // with the names of columns
    for (std::string line; std::getline(lines, line);) {
        if (rows == 0 && line.starts_with("#")) {
            require(line.find(separator) == std::string::npos);
            require(line.find('"') == std::string::npos);
            continue;
        }
        std::vector<std::string> cells(1);
        for (const char letter : line) {
            if (letter == separator) {
                cells.emplace_back();
            } else {
                cells.back() += letter;
            }
        }
        require(cells.size() == 22 && rows <= peaks.size());
        if (rows > 0) {
            requireNumber(cells[1], peaks[rows - 1].score);
            requireNumber(cells[5], peaks[rows - 1].centre[0]);
            requireNumber(cells[17], peaks[rows - 1].bound);
        }
        ++rows;
    }
    require(rows == peaks.size() + 1);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Values values(data, size);
    flcc::io::PeakContext context;
    const auto templates = values.next<std::uint8_t>() % 4;
    context.scene = values.text();
    for (int i = 0; i < templates; ++i) {
        context.templates.push_back({values.text(), {3, 2, 1}, values.text()});
    }
    context.sceneMask = values.text();
    context.extent = values.text();
    context.outside = values.text();
    context.audit = values.text();
    context.geometry.unit = values.text();
    context.geometry.spacing = {values.next<double>(), values.next<double>(), 1};
    std::vector<flcc::match::Peak> peaks;
    while (!values.empty() && peaks.size() < 64) {
        flcc::match::Peak peak;
        peak.score = values.next<double>();
        peak.bound = values.next<double>();
        peak.centre[0] = values.next<double>();
        peak.corner = {values.next<std::int64_t>(), values.next<std::int64_t>(), 0};
        peak.status =
            static_cast<flcc::base::Status>(values.next<std::uint8_t>() % flcc::base::kStatusCount);
        if (values.next<std::uint8_t>() % 2 == 1) {
            peak.rival = values.next<double>();
        }
        peaks.push_back(peak);
    }
    for (const char separator : {',', '\t'}) {
        requireTable(flcc::io::peaksAsText(peaks, context, separator), separator, peaks);
    }
    return 0;
}
