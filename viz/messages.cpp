#include "viz/messages.h"

#include <string>

#include <vtkLogger.h>
#include <vtkNew.h>
#include <vtkObjectFactory.h>
#include <vtkOutputWindow.h>
#include <vtkVersion.h>

#include "engine/base/log.h"

namespace flcc::viz {
namespace {

/// Debian's GLEW knows GLX only and complains once a render on EGL; the picture is right.
bool isHarmless(const std::string& text) {
    return text.find("GLEW could not be initialized") != std::string::npos;
}

std::string oneLine(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
        text.pop_back();
    }
    for (char& c : text) {
        c = c == '\n' || c == '\r' ? ' ' : c;
    }
    return text;
}

class LogWindow final : public vtkOutputWindow {
  public:
    static LogWindow* New();
    vtkTypeMacro(LogWindow, vtkOutputWindow)

        void DisplayText(const char* text) override {
        write(base::LogLevel::Debug, text);
    }
    void DisplayErrorText(const char* text) override { write(base::LogLevel::Error, text); }
    void DisplayWarningText(const char* text) override { write(base::LogLevel::Warning, text); }
    void DisplayGenericWarningText(const char* text) override {
        write(base::LogLevel::Warning, text);
    }
    void DisplayDebugText(const char* text) override { write(base::LogLevel::Debug, text); }

  private:
    static void write(base::LogLevel level, const char* text) {
        const std::string line = oneLine(text == nullptr ? "" : text);
        if (!line.empty() && !isHarmless(line)) {
            base::log(level, "VTK: " + line);
        }
    }
};

vtkStandardNewMacro(LogWindow)

} // namespace

void routeVtkMessagesToLog() {
    vtkLogger::SetStderrVerbosity(vtkLogger::VERBOSITY_OFF);
    const vtkNew<LogWindow> window;
    vtkOutputWindow::SetInstance(window);
}

std::string vtkVersionText() { return vtkVersion::GetVTKVersion(); }

} // namespace flcc::viz
