#pragma once

class QWidget;

namespace flcc::ui {

class Document;

/// Asks for the spacing and unit of the scenes, without blocking the program.
void askSpacing(QWidget& window, Document& document);

} // namespace flcc::ui
