#pragma once

#include <QString>

#include <string_view>
#include <vector>

namespace flcc::ui {

/// How the window shows an option: the label of its field and the words of its values; of a field
/// that OptionFields makes also its tooltip and its numbers. Texts are in the language of the
/// source; faceText() translates them.
struct OptionFace {
    struct Word {
        std::string_view word; ///< of the option
        const char* label;
    };
    std::string_view option; ///< without dashes
    const char* label;
    const char* tip = "";
    std::vector<Word> words{};          ///< in the order of a choice
    const char* nothing = "";           ///< what a field shows where no value is set
    int decimals = 0;                   ///< of a number; -1: it is written as text
    double step = 1;                    ///< of a number
    std::string_view command = "match"; ///< others have this face too, unless they have their own
};

/// The face of an option of a command; null if the window has no field for it.
[[nodiscard]] const OptionFace* faceOf(std::string_view option, std::string_view command = "match");
[[nodiscard]] const std::vector<OptionFace>& optionFaces();
/// In the language of the window.
[[nodiscard]] QString faceText(const char* text);
/// The label of a word of an option; the word itself, with a capital letter, if it has none.
[[nodiscard]] QString wordText(const OptionFace& face, std::string_view word);

} // namespace flcc::ui
