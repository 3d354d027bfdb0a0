#pragma once

#include <QCoreApplication>

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "engine/io/image_file.h"
#include "ui/open/opening.h"

class QWidget;

namespace flcc::ui {

/// What has to be asked before an image of a file or a folder can be opened.
struct ImageQuestions {
    Q_DECLARE_TR_FUNCTIONS(ImageQuestions)

  public:
    /// Asks which of several images behind the name `path` to open; empty: none.
    static void askImage(QWidget& window, const std::filesystem::path& path,
                         const std::vector<io::ImageChoice>& images,
                         const std::function<void(std::optional<std::filesystem::path>)>& then);
    /// Whether a level and a part of it are to be asked for.
    [[nodiscard]] static bool isSlide(const io::ImageInfo& info);
    /// Asks for image, channel and frame, as far as there are several and they are not chosen; of
    /// a slide for level and part. Empty: the user cancelled.
    static void askPart(QWidget& window, const std::filesystem::path& path,
                        const io::ImageInfo& info, const OpenChoice& known,
                        const std::function<void(std::optional<OpenChoice>)>& then);
};

} // namespace flcc::ui
