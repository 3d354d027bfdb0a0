#pragma once

class QMainWindow;

namespace flcc::ui {

class Actions;
class BoxTool;
class CockpitPanel;
class ComparePanel;
class DataPanel;
class ExplainPanel;
class Docks;
class Document;
class Exporter;
class FeaturesPanel;
class GalleryPanel;
class Judge;
class MaskBar;
class MaskPainter;
class MatchFlow;
class MatchPanel;
class MessageBar;
class Opener;
class ParticleExport;
class ProjectCommands;
class PeaksPanel;
class ReportPanel;
class RunController;
class StartPage;
class StatusLine;
class ViewTools;
class ViewsPanel;

/// The parts of the main window, for its menus, dialogs and connections. The window owns them.
struct Parts {
    QMainWindow& window;
    Document& document;
    RunController& controller;
    MessageBar& message;
    StartPage& start;
    ViewsPanel& views;
    ViewTools& tools;
    BoxTool& boxTool;
    MaskPainter& painter;
    MaskBar& maskBar;
    Docks& docks;
    DataPanel& data;
    MatchPanel& match;
    PeaksPanel& peaks;
    ExplainPanel& explain;
    GalleryPanel& gallery;
    CockpitPanel& cockpit;
    ComparePanel& compare;
    FeaturesPanel& features;
    ReportPanel& report;
    Judge& judge;
    MatchFlow& flow;
    Opener& opener;
    Exporter& exporter;
    ParticleExport& particles;
    ProjectCommands& projects;
    StatusLine& status;
    Actions& actions;
};

} // namespace flcc::ui
