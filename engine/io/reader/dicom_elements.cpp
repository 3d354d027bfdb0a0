// Elements of DICOM files as texts and numbers.

#include "engine/io/reader/dicom_elements.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <gdcmDict.h>
#include <gdcmDictEntry.h>
#include <gdcmDicts.h>
#include <gdcmGlobal.h>
#include <gdcmSequenceOfItems.h>

namespace flcc::io::detail {

namespace {

template <class Number> std::vector<double> stored(const gdcm::ByteValue& value) {
    std::vector<double> numbers;
    for (std::size_t at = 0; at + sizeof(Number) <= value.GetLength(); at += sizeof(Number)) {
        Number number{};
        std::memcpy(&number, value.GetPointer() + at, sizeof(Number));
        numbers.push_back(static_cast<double>(number));
    }
    return numbers;
}

std::vector<double> written(const gdcm::ByteValue& value) {
    std::vector<double> numbers;
    std::string_view text(value.GetPointer(), value.GetLength());
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\\'), text.size());
        std::string_view part = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t begin = std::min(part.find_first_not_of(" +"), part.size());
        part.remove_prefix(begin);
        double number = 0;
        const auto [last, error] = std::from_chars(part.data(), part.data() + part.size(), number);
        const std::string_view rest(last, part.data() + part.size());
        if (error != std::errc{} ||
            rest.find_first_not_of(std::string_view(" \0", 2)) != std::string_view::npos) {
            return {};
        }
        numbers.push_back(number);
    }
    return numbers;
}

/// The type of the value; files with implicit types leave it to the dictionary.
gdcm::VR typeOf(const gdcm::DataElement& element) {
    const gdcm::VR type = element.GetVR();
    if (type != gdcm::VR::INVALID && type != gdcm::VR::UN) {
        return type;
    }
    return gdcm::Global::GetInstance().GetDicts().GetDictEntry(element.GetTag()).GetVR();
}

} // namespace

std::string textOf(const gdcm::DataSet& data, const gdcm::Tag& tag) {
    const gdcm::ByteValue* value =
        data.FindDataElement(tag) ? data.GetDataElement(tag).GetByteValue() : nullptr;
    if (value == nullptr) {
        return {};
    }
    std::string text(value->GetPointer(), value->GetLength());
    text.resize(text.find_last_not_of(std::string_view(" \0", 2)) + 1);
    for (char& letter : text) {
        if (letter < 0x20 || letter > 0x7e) {
            letter = '?'; // of another character set
        }
    }
    return text;
}

std::vector<double> numbersOf(const gdcm::DataSet& data, const gdcm::Tag& tag) {
    if (!data.FindDataElement(tag)) {
        return {};
    }
    const gdcm::DataElement& element = data.GetDataElement(tag);
    const gdcm::ByteValue* value = element.GetByteValue();
    if (value == nullptr) {
        return {};
    }
    const gdcm::VR type = typeOf(element);
    if (type == gdcm::VR::FD) {
        return stored<double>(*value);
    }
    if (type == gdcm::VR::FL) {
        return stored<float>(*value);
    }
    if (type == gdcm::VR::US || type == gdcm::VR::US_SS) {
        return stored<std::uint16_t>(*value);
    }
    if (type == gdcm::VR::SS) {
        return stored<std::int16_t>(*value);
    }
    if (type == gdcm::VR::UL) {
        return stored<std::uint32_t>(*value);
    }
    if (type == gdcm::VR::SL) {
        return stored<std::int32_t>(*value);
    }
    if (type == gdcm::VR::DS || type == gdcm::VR::IS) {
        return written(*value);
    }
    return {};
}

std::vector<gdcm::DataSet> itemsOf(const gdcm::DataSet& data, const gdcm::Tag& tag) {
    std::vector<gdcm::DataSet> items;
    if (!data.FindDataElement(tag) || typeOf(data.GetDataElement(tag)) != gdcm::VR::SQ) {
        return items;
    }
    const auto sequence = data.GetDataElement(tag).GetValueAsSQ();
    for (gdcm::SequenceOfItems::SizeType i = 1;
         sequence != nullptr && i <= sequence->GetNumberOfItems(); ++i) {
        items.push_back(sequence->GetItem(i).GetNestedDataSet());
    }
    return items;
}

std::string valueWithin(const gdcm::DataSet& data, const gdcm::Tag& tag, int depth) {
    if (data.FindDataElement(tag)) {
        const std::vector<double> numbers = numbersOf(data, tag);
        std::string text;
        for (const double number : numbers) {
            text += (text.empty() ? "" : "/") + shortNumber(number);
        }
        return numbers.empty() ? textOf(data, tag) : text;
    }
    for (auto at = data.Begin(); depth > 0 && at != data.End(); ++at) {
        if (at->GetTag().GetGroup() % 2 == 0 && at->GetVL() != 0) {
            for (const gdcm::DataSet& item : itemsOf(data, at->GetTag())) {
                std::string found = valueWithin(item, tag, depth - 1);
                if (!found.empty()) {
                    return found;
                }
            }
        }
    }
    return {};
}

std::string shortNumber(double value) {
    if (!(std::abs(value) < 1e12)) {
        return std::to_string(value);
    }
    std::string text = std::to_string(std::round(value * 1e4) / 1e4);
    text.resize(text.find_last_not_of('0') + 1);
    text = text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
    return text == "-0" ? "0" : text;
}

} // namespace flcc::io::detail
