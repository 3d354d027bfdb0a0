#pragma once

#include <QCoreApplication>

#include <filesystem>
#include <functional>

#include "engine/job/convolve_job.h"
#include "engine/job/features.h"
#include "engine/job/job.h"
#include "ui/open/opener.h"
#include "ui/window/parts/parts.h"

namespace flcc::ui {

class Dialogs;
class EditCommands;

/// Reads job files into the controls and opens the files that they name.
class JobLoader {
    Q_DECLARE_TR_FUNCTIONS(JobLoader)

  public:
    JobLoader(const Parts& parts, EditCommands& commands, Dialogs& dialogs)
        : m_parts(parts), m_commands(commands), m_dialogs(dialogs) {}

    void ask(); ///< asks for a job file and loads it
    /// Loads a job file. `run` then starts the job.
    void load(const QString& file, bool run = false);
    void askPlanReport(); ///< asks for the report of a plan to run

  private:
    void open(const job::Job& job, const std::function<void(bool)>& then);
    void show(const job::Job& job, const std::filesystem::path& file, bool run);
    [[nodiscard]] bool cut(const job::Job& job);
    void addShapes(const job::Job& job);
    void openForJob(const std::filesystem::path& scene, const Opener::Choice& choice,
                    const std::function<void()>& then);
    void loadConvolveJob(const job::ConvolveJob& job);
    void loadFeaturesJob(const job::FeaturesJob& job);

    const Parts& m_parts;
    EditCommands& m_commands;
    Dialogs& m_dialogs;
};

} // namespace flcc::ui
