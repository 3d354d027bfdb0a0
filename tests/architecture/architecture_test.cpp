#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <QTest>

#include "tests/architecture/source_rules.h"
#include "tests/support/test_class.h"

namespace fs = std::filesystem;
using namespace flcc::architecture;
using Faults = std::vector<std::string>;

namespace {

const fs::path kSourceDir = FLCC_SOURCE_DIR;

std::string readText(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Regular files of the project below its folders, paths relative to the project.
std::vector<std::string> projectFiles() {
    std::vector<std::string> files;
    for (const char* top :
         {"app", "engine", "packaging", "resources", "tests", "ui", "viz", ".ci"}) {
        for (const auto& entry : fs::recursive_directory_iterator(kSourceDir / top)) {
            if (entry.is_regular_file()) {
                files.push_back(fs::relative(entry.path(), kSourceDir).generic_string());
            }
        }
    }
    for (const auto& entry : fs::directory_iterator(kSourceDir)) {
        // Of a second working tree .git is a file, which names the folder of the first.
        if (entry.is_regular_file() && entry.path().filename() != ".git") {
            files.push_back(entry.path().filename().string());
        }
    }
    return files;
}

bool isCode(const std::string& path) {
    const std::string ending = fs::path(path).extension().string();
    return ending == ".h" || ending == ".cpp" || ending == ".cu" || ending == ".cuh";
}

bool isText(const std::string& text) { return text.find('\0') == std::string::npos; }

/// Collects the faults of every file of code in the project.
template <class Rule> QString faultsOfTree(Rule rule) {
    QString all;
    for (const std::string& path : projectFiles()) {
        if (isCode(path)) {
            for (const std::string& fault : rule(path, readText(kSourceDir / path))) {
                all += QString::fromStdString(fault) + '\n';
            }
        }
    }
    return all;
}

void addRow(const char* name, const char* path, const char* text, bool wrong) {
    QTest::newRow(name) << QString(path) << QString(text) << wrong;
}

} // namespace

class ArchitectureTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void classesOfASourceAreFound() {
        using Names = std::vector<std::string>;
        QCOMPARE(classesDefinedIn("namespace a::b {\nvoid Cat::run(int x) const {\n}\n"),
                 Names{"a::b::Cat"});
        QCOMPARE(classesDefinedIn("namespace a {\nCat::Cat(F<int(int)> f)\n    : m_f(f) {}\n"
                                  "Cat::~Cat() = default;\nCat::State::State() {}\n"),
                 (Names{"a::Cat", "a::Cat::State"}));
        // Neither declarations nor calls nor free functions.
        QCOMPARE(classesDefinedIn("const int kSize = Cat::size();\nvoid run();\n"
                                  "void run() {\n    Cat::run();\n}\n// Cat::run() {\n"),
                 Names{});
    }
    void aClassIsDefinedInOneSource() {
        // A class whose functions do not fit into one source has several jobs: each is a class.
        std::map<std::string, std::set<std::string>> sources;
        for (const std::string& path : projectFiles()) {
            if (path.ends_with(".cpp") && (path.starts_with("ui/") || path.starts_with("viz/"))) {
                for (const std::string& name : classesDefinedIn(readText(kSourceDir / path))) {
                    sources[name].insert(path);
                }
            }
        }
        QVERIFY(sources.size() > 100);
        QString faults;
        for (const auto& [name, paths] : sources) {
            if (paths.size() > 1) {
                faults += QString::fromStdString(name) + ':';
                for (const std::string& path : paths) {
                    faults += ' ' + QString::fromStdString(path);
                }
                faults += '\n';
            }
        }
        QVERIFY2(faults.isEmpty(), qPrintable(faults));
    }
    void anIncludeIsJudgedByItsPlace_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("wrong");
        addRow("down", "ui/a.cpp", "#include \"viz/scene.h\"\n", false);
        addRow("up", "engine/job/a.cpp", "#include \"ui/window.h\"\n", true);
        addRow("sideways up", "viz/a.cpp", "#include \"ui/window.h\"\n", true);
        addRow("earlier room", "engine/plan/a.cpp", "#include \"engine/cpu/direct.h\"\n", false);
        addRow("later room", "engine/base/a.h", "#include \"engine/method/problem.h\"\n", true);
        addRow("private room", "viz/a.cpp", "#include \"engine/cpu/direct.h\"\n", true);
        addRow("private room from match", "engine/match/a.cpp",
               "#include \"engine/reference/lcc.h\"\n", true);
        addRow("private room in a public header", "engine/plan/a.h",
               "#include \"engine/cpu/direct.h\"\n", true);
        addRow("detail of another room", "engine/job/a.cpp",
               "#include \"engine/cpu/detail/png.h\"\n", true);
        addRow("inner room of another room", "engine/job/a.cpp",
               "#include \"engine/io/raster/png.h\"\n", true);
        addRow("later inner room", "engine/io/files/a.cpp", "#include \"engine/io/raster/png.h\"\n",
               true);
        addRow("open inner room", "engine/plan/a.cpp", "#include \"engine/cuda/run/limits.h\"\n",
               false);
        addRow("earlier inner room", "engine/io/raster/a.cpp",
               "#include \"engine/io/files/paths.h\"\n", false);
        addRow("files from viz", "viz/a.cpp", "#include \"engine/io/atomic_file.h\"\n", true);
        addRow("files from ui", "ui/a.cpp", "#include \"engine/io/atomic_file.h\"\n", false);
        addRow("own inner room", "engine/io/a.cpp", "#include \"engine/io/raster/png.h\"\n", false);
        addRow("not from the top", "engine/io/a.cpp", "#include \"png_file.h\"\n", true);
        addRow("tests from a layer", "engine/io/a.cpp", "#include \"tests/support/a.h\"\n", true);
        addRow("test of a private room", "tests/engine/cpu/a.cpp",
               "#include \"engine/cpu/direct.h\"\n", false);
        addRow("Qt in the engine", "engine/io/a.cpp", "#include <QString>\n", true);
        addRow("Qt in viz", "viz/a.cpp", "#include <QImage>\n", true);
        addRow("Qt in the command line", "app/cli.cpp", "#include <QString>\n", true);
        addRow("Qt in the desktop", "app/desktop.cpp", "#include <QApplication>\n", false);
        addRow("inner room of job", "ui/plan/a.cpp", "#include \"engine/job/match/flight.h\"\n",
               true);
        addRow("later inner room", "ui/base/a.cpp", "#include \"ui/window/startup.h\"\n", true);
        addRow("earlier inner room", "ui/window/a.cpp", "#include \"ui/base/text.h\"\n", false);
        addRow("later room inside an inner room", "ui/match/fields/a.cpp",
               "#include \"ui/match/flow/run_notes.h\"\n", true);
        addRow("room inside a later inner room", "ui/open/a.cpp",
               "#include \"ui/match/fields/peak_fields.h\"\n", true);
        addRow("inner room of viz", "ui/views/a.cpp", "#include \"viz/volume/volume_cast.h\"\n",
               true);
        addRow("VTK in ui", "ui/panel.cpp", "#include <vtkActor.h>\n", true);
        addRow("VTK in the bridge", "ui/bridge/view.cpp", "#include <vtkRenderer.h>\n", false);
        addRow("GDCM in a source of io", "engine/io/a.cpp", "#include <gdcmReader.h>\n", true);
        addRow("GDCM in a header of io", "engine/io/a.h", "#include <gdcmReader.h>\n", true);
        addRow("GDCM in viz", "viz/a.cpp", "#include <gdcmImage.h>\n", true);
        addRow("FFTW in cpu", "engine/cpu/a.cpp", "#include <fftw3.h>\n", false);
        addRow("FFTW in plan", "engine/plan/a.cpp", "#include <fftw3.h>\n", true);
        addRow("JSON in a source", "engine/job/a.cpp", "#include <nlohmann/json.hpp>\n", false);
        addRow("JSON in a public header", "engine/job/a.h", "#include <nlohmann/json_fwd.hpp>\n",
               true);
        addRow("spdlog elsewhere", "engine/io/a.cpp", "#include <spdlog/spdlog.h>\n", true);
        addRow("POSIX in a public header", "engine/io/a.h", "#include <sys/stat.h>\n", true);
        addRow("unknown library", "engine/job/a.cpp", "#include <boost/format.hpp>\n", true);
        addRow("TBB", "engine/cpu/a.cpp", "#include <tbb/parallel_for.h>\n", true);
        addRow("thread in a panel", "ui/panel.cpp", "#include <QThread>\n", true);
        addRow("thread in its owner", "ui/work/run_controller.cpp", "#include <thread>\n", false);
        addRow("standard", "engine/base/a.h", "#include <stop_token>\n", false);
        addRow("spaces", "engine/base/a.h", "  #  include   <QString>\n", true);
        addRow("in a line comment", "engine/base/a.h", "// #include <QString>\n", false);
        addRow("in a long comment", "engine/base/a.h", "/*\n#include <QString>\n*/\n", false);
        addRow("after a comment", "engine/base/a.h", "/* a */\n#include <QString>\n", true);
    }
    void anIncludeIsJudgedByItsPlace() {
        QFETCH(QString, path);
        QFETCH(QString, text);
        QFETCH(bool, wrong);
        const Faults faults = includeFaults(path.toStdString(), text.toStdString());
        QCOMPARE(faults.size(), wrong ? std::size_t{1} : std::size_t{0});
    }

    void aLongFileAMacroAndASampleNameAreFound() {
        std::string text;
        for (int i = 0; i < 600; ++i) {
            text += "\n";
        }
        QCOMPARE(sourceFaults("engine/base/a.cpp", text).size(), std::size_t{0});
        QCOMPARE(sourceFaults("engine/base/a.cpp", text + "\n").size(), std::size_t{1});
        QCOMPARE(sourceFaults("engine/base/a.h", "#define TWICE(x) (2 * (x))\n").size(),
                 std::size_t{1});
        QCOMPARE(sourceFaults("engine/cpu/a.cpp", "#define HWY_TARGET_INCLUDE \"a\"\n").size(),
                 std::size_t{0});
        QCOMPARE(sourceFaults("engine/job/a.cpp", "if (name == \"cells\") {\n").size(),
                 std::size_t{1});
        QCOMPARE(sourceFaults("engine/sample/a.cpp", "{\"cells\", makeCells}\n").size(),
                 std::size_t{0});
    }

    void theNameOfAMethodIsFound() {
        const auto faults = [](const char* path, const char* text) {
            return methodNameFaults(path, text).size();
        };
        QCOMPARE(faults("engine/plan/a.cpp", "if (method == \"direct\") {\n"), std::size_t{1});
        QCOMPARE(faults("ui/a.cpp", "QStringLiteral(\"tiled-template\")\n"), std::size_t{1});
        QCOMPARE(faults("engine/cpu/a.cpp",
                        "    std::string_view name() const override { return \"tiled\"; }\n"),
                 std::size_t{0});
        QCOMPARE(faults("engine/plan/a.h", "int a; ///< \"direct\", \"tiled\"\n"), std::size_t{0});
        QCOMPARE(faults("engine/cpu/a.cpp", "title = \"Direct\"\n"), std::size_t{0});
        QCOMPARE(faults("tests/engine/a.cpp", "job.method = \"direct\";\n"), std::size_t{0});
    }

    void aComparisonOfOperationsIsFound() {
        const auto faults = [](const char* path, const char* text) {
            return operationFaults(path, text).size();
        };
        for (const char* const code :
             {"if (problem.operation.isLcc()) {\n", "const bool isSsd = false;\n",
              "if (traits.name == \"sad\") {\n", "return \"lcc\" != name(operation);\n",
              "if (operation == method::Operation()) {\n", "a = operation != Operation{};\n",
              "b = operation == *method::operationNamed(\"ssd\");\n"}) {
            QCOMPARE(faults("engine/cpu/a.cpp", code), std::size_t{1});
            QCOMPARE(faults("ui/match/a.h", code), std::size_t{1});
            QCOMPARE(faults("tests/engine/a.cpp", code), std::size_t{0});
            QCOMPARE(faults("engine/reference/match_operation.cpp", code), std::size_t{0});
        }
        for (const char* const code :
             {"int a; // as isLcc() was\n", "job.operation = *operationNamed(\"covariance\");\n",
              "if (operation == other.operation) {\n", "{\"correlation\", found},\n",
              "if (operation.traits().hasLaw) {\n"}) {
            QCOMPARE(faults("engine/cpu/a.cpp", code), std::size_t{0});
        }
    }

    void aFolderOfOneMachineIsFound() {
        const std::string slash = "/"; // so that this file names none
        QCOMPARE(machinePathFaults("a.md", "see " + slash + "home/me/x\n").size(), std::size_t{1});
        QCOMPARE(machinePathFaults("a.md", "\"" + slash + "tmp/x\"\n").size(), std::size_t{1});
        QCOMPARE(machinePathFaults("a.md", "ours/home/page\n").size(), std::size_t{0});
    }

    void aLongReadmeAndAFullFolderAreFound() {
        std::string text;
        for (int i = 0; i < 40; ++i) {
            text += "a\n";
        }
        const std::string wide(131, 'a');
        QCOMPARE(readmeFaults("engine/base/README.md", text).size(), std::size_t{0});
        QCOMPARE(readmeFaults("engine/base/README.md", text + "a\n").size(), std::size_t{1});
        QCOMPARE(readmeFaults("engine/base/README.md", wide).size(), std::size_t{1});
        QCOMPARE(readmeFaults("engine/base/README.md", "|" + wide).size(), std::size_t{0});
        QCOMPARE(readmeFaults("README.md", text + "a\n").size(), std::size_t{0});

        std::vector<std::string> paths{"ui/a/README.md", "ui/a/b/c.cpp"};
        for (int i = 0; i < 40; ++i) {
            paths.push_back("ui/a/" + std::to_string(i) + ".h");
            paths.push_back("tests/a/" + std::to_string(i) + ".h");
        }
        QCOMPARE(folderFaults(paths).size(), std::size_t{0});
        paths.emplace_back("ui/a/a.cpp");
        paths.emplace_back("tests/a/a.cpp");
        QCOMPARE(folderFaults(paths).size(), std::size_t{1});
    }

    void aStrangeTopFolderIsFound() {
        QCOMPARE(topLevelFaults({"engine", "README.md", ".git", "build"}).size(), std::size_t{0});
        QCOMPARE(topLevelFaults({"engine", "src"}).size(), std::size_t{1});
    }

    void everyIncludeOfTheProjectIsInItsPlace() {
        const QString faults = faultsOfTree(includeFaults);
        QVERIFY2(faults.isEmpty(), qPrintable(faults));
    }

    void everySourceKeepsTheRules() {
        const QString faults = faultsOfTree(sourceFaults);
        QVERIFY2(faults.isEmpty(), qPrintable(faults));
    }

    void everyRoomIsSmallAndSaysWhatItIs() {
        const Faults full = folderFaults(projectFiles());
        QVERIFY2(full.empty(), full.empty() ? "" : full.front().c_str());
        QString faults;
        for (const std::string& path : projectFiles()) {
            for (const std::string& fault : readmeFaults(path, readText(kSourceDir / path))) {
                faults += QString::fromStdString(fault) + '\n';
            }
        }
        QVERIFY2(faults.isEmpty(), qPrintable(faults));
    }

    void noCodeKnowsAMethodByName() {
        const QString faults = faultsOfTree(methodNameFaults);
        QVERIFY2(faults.isEmpty(), qPrintable(faults));
    }

    void noCodeAsksWhichOperationItHas() {
        const QString faults = faultsOfTree(operationFaults);
        QVERIFY2(faults.isEmpty(), qPrintable(faults));
    }

    void noFileNamesAFolderOfOneMachine() {
        QString all;
        int files = 0;
        for (const std::string& path : projectFiles()) {
            const std::string text = readText(kSourceDir / path);
            if (isText(text)) {
                ++files;
                for (const std::string& fault : machinePathFaults(path, text)) {
                    all += QString::fromStdString(fault) + '\n';
                }
            }
        }
        QVERIFY(files > 50);
        QVERIFY2(all.isEmpty(), qPrintable(all));
    }

    void theTopFolderHoldsWhatItShould() {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(kSourceDir)) {
            names.push_back(entry.path().filename().string());
        }
        const Faults faults = topLevelFaults(names);
        QVERIFY2(faults.empty(), faults.empty() ? "" : faults.front().c_str());
    }

    // The names of the libraries a program asks the loader for stand in it as text.
    void theCommandLineAsksForNeitherQtNorVtk() {
        if (!fs::exists(FLCC_CLI)) {
            QSKIP("the command line was not built");
        }
        const std::string program = readText(FLCC_CLI);
        QVERIFY(program.find("libstdc++.so") != std::string::npos);
        QVERIFY(program.find("libQt6") == std::string::npos);
        QVERIFY(program.find("libvtk") == std::string::npos);
    }
};

const flcc::test::TestClass<ArchitectureTest> kArchitectureTest;
#include "architecture_test.moc"
