#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>

#include <algorithm>
#include <map>

#include "engine/job/any_job.h"
#include "tests/support/test_class.h"
#include "ui/base/option_faces.h"
#include "ui/forms/option_fields.h"
#include "ui/forms/text_fields.h"
#include "ui/match/fields/sections.h"

namespace {

namespace job = flcc::job;
namespace ui = flcc::ui;

/// Why the window has no field for an option.
const std::map<std::string, std::string>& reasons() {
    const std::string fileOut = "results are exported after the run";
    const std::string opened = "the scene or the template is opened with it";
    const std::string list = "positions are compared in Compare";
    const std::string stack = "boxes are exported with the particles";
    static const std::map<std::string, std::string> kReasons{
        {"template-out", fileOut},
        {"map", fileOut},
        {"status", fileOut},
        {"index", fileOut},
        {"peaks", fileOut},
        {"peaks-format", fileOut},
        {"report", fileOut},
        {"heatmap", fileOut},
        {"figure", fileOut},
        {"output", fileOut},
        {"blobs", fileOut},
        {"blobs-format", fileOut},
        {"strength", fileOut},
        {"scale-map", fileOut},
        {"pairs", fileOut},
        {"average", stack},
        {"average-variance", stack},
        {"stack", stack},
        {"stack-size", stack},
        {"stack-normalise", stack},
        {"stack-subvoxel", stack},
        {"stack-turned", stack},
        {"channel", opened},
        {"frame", opened},
        {"world", opened},
        {"image-number", opened},
        {"truth", list},
        {"tolerance", list},
        {"species", list},
        {"comparison", list},
        {"all-peaks", "File > Export > Peaks asks for one list of all scenes"},
        {"slice", "the page shows the slice that the views show"},
        {"repeat", "a benchmark"},
        {"kernel", "the values of the kernel make it"},
        {"min-strength", "the slider of the panel hides weaker blobs"},
        {"max-blobs", "the panel lists as many as it can show"},
        {"overlap", "kept from a job file"},
        {"match", "Match blobs of two scenes chooses the other scene"},
    };
    return kReasons;
}

/// Texts that the field of an option can show.
std::vector<std::string> samplesOf(const job::CommandOption& option) {
    if (!option.words.empty()) {
        return option.words;
    }
    static const std::map<std::string, std::vector<std::string>> kTexts{
        {"memory", {"4GiB", "500MiB", "123456789"}},
        {"tile", {"64,32", "64,32,16", "128"}},
        {"promise", {"1e-06", "0.5"}},
        {"rotations", {"10", "0:180:10"}},
        {"symmetry", {"C4", "D2"}},
        {"scales", {"0.9,1,1.1"}},
        {"resume", {"kept"}},
        {"band", {"3,40", "30,400A"}},
        {"wedge", {"60,60"}},
        {"ctf", {"3,300,2.7,0.07"}}};
    if (const auto own = kTexts.find(option.name); own != kTexts.end()) {
        return own->second;
    }
    switch (option.kind) {
    case job::ValueKind::Flag:
        return {"true", "false"};
    case job::ValueKind::Integer:
        return {std::to_string(static_cast<int>(option.least)), "7"};
    default:
        return {"0.05", "0.123456789", "1"}; // one has more digits than a field shows
    }
}

/// Every field of a command that is made from its row takes and gives back every value. Other
/// commands have an option of this name that is another one.
template <class J> void comparesAll(std::string_view command, std::string_view other = {}) {
    QObject owner;
    QWidget parent;
    ui::TextFields texts;
    ui::OptionFields fields(command, texts, QStringLiteral("any"), &owner);
    std::vector<job::CommandOption> made;
    for (const job::CommandOption& option : job::optionsOf(command)) {
        const ui::OptionFace* const face = ui::faceOf(option.name, command);
        if (face != nullptr && *face->tip != '\0' && option.name != "device" &&
            option.name != other) {
            QVERIFY(fields.make(option.name, &parent) != nullptr);
            made.push_back(option);
        }
    }
    QVERIFY(made.size() >= 3);
    J untouched;
    fields.show(untouched);
    fields.read(untouched);
    QVERIFY(untouched == J());
    for (const job::CommandOption& option : made) {
        for (const std::string& text : samplesOf(option)) {
            J shown;
            job::setOption(shown, option.name, text);
            fields.show(shown);
            J read;
            fields.read(read);
            QVERIFY2(read == shown, (option.name + " " + text).c_str());
            QCOMPARE(fields.text(option.name), job::optionText(shown, option.name));
        }
    }
}

} // namespace

class OptionFieldsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    static void everyOptionHasAFaceOrAReason() {
        for (const std::string& command : job::jobCommands()) {
            for (const job::CommandOption& option : job::optionsOf(command)) {
                const bool reason = reasons().contains(option.name);
                const ui::OptionFace* const face = ui::faceOf(option.name, command);
                if (command == "match") {
                    QVERIFY2((face != nullptr) != reason, option.name.c_str());
                }
                QVERIFY2(face != nullptr || reason, (command + " " + option.name).c_str());
            }
        }
        // No face is of an option that is gone.
        for (const ui::OptionFace& face : ui::optionFaces()) {
            const std::vector<job::CommandOption> options = job::optionsOf(face.command);
            const auto row = std::ranges::find(options, face.option, &job::CommandOption::name);
            QVERIFY2(row != options.end(), face.option.data());
            for (const ui::OptionFace::Word& word : face.words) {
                const bool known = row->words.empty() ||
                                   std::ranges::find(row->words, word.word) != row->words.end();
                QVERIFY2(known, word.word.data());
            }
        }
    }

    /// A field that is made from its row is in one section of the Match panel.
    static void everyFieldHasItsSection() {
        std::vector<std::string_view> all{"resume"}; // a folder, and no setting
        for (const ui::Section section : ui::sections()) {
            const auto& options = ui::optionsOf(section);
            all.insert(all.end(), options.begin(), options.end());
        }
        for (const std::string_view option : all) {
            QCOMPARE(std::ranges::count(all, option), 1);
            QVERIFY2(ui::faceOf(option) != nullptr, option.data());
        }
        for (const ui::OptionFace& face : ui::optionFaces()) {
            const bool isMade = face.command == "match" && *face.tip != '\0';
            QVERIFY2(!isMade || std::ranges::count(all, face.option) == 1, face.option.data());
        }
    }

    static void aFieldGivesBackWhatItShows() {
        comparesAll<job::Job>("match");
        comparesAll<job::ConvolveJob>("convolve");
        comparesAll<job::FeaturesJob>("features", "scales");
    }

    static void aTextIsCheckedAsOnTheCommandLine() {
        QObject owner;
        QWidget parent;
        ui::TextFields texts;
        ui::OptionFields fields("match", texts, {}, &owner);
        auto& memory = static_cast<QLineEdit&>(*fields.make("memory", &parent));
        QCOMPARE(memory.objectName(), QStringLiteral("memory"));
        const QSignalSpy changed(&fields, &ui::OptionFields::changed);
        const auto type = [&memory](const char* text) {
            memory.setText(QLatin1String(text));
            Q_EMIT memory.editingFinished();
        };
        type("4 GiB");
        QCOMPARE(fields.text("memory"), std::optional<std::string>("4GiB"));
        QCOMPARE(memory.text(), QStringLiteral("4 GiB"));
        QCOMPARE(changed.count(), 1);
        type("4096 MiB"); // the same
        QCOMPARE(changed.count(), 1);
        type("much");
        QVERIFY(texts.reason().contains(QStringLiteral("much")));
        QCOMPARE(fields.text("memory"), std::optional<std::string>("4GiB"));
        QCOMPARE(memory.text(), QStringLiteral("much"));
        type("");
        QVERIFY(texts.reason().isEmpty());
        QVERIFY(!fields.text("memory"));
        QCOMPARE(changed.count(), 2);
    }

    static void numbersHaveAPlaceForNothing() {
        QObject owner;
        QWidget parent;
        ui::TextFields texts;
        ui::OptionFields fields("match", texts, {}, &owner);
        auto& overlap = static_cast<QDoubleSpinBox&>(*fields.make("max-overlap", &parent));
        auto& threads = static_cast<QSpinBox&>(*fields.make("threads", &parent));
        fields.show(job::Job());
        QCOMPARE(overlap.text(), QStringLiteral("auto"));
        QCOMPARE(threads.value(), 0);
        QVERIFY(!fields.text("max-overlap") && !fields.text("threads"));
        overlap.setValue(-0.02); // nothing lies between
        QCOMPARE(overlap.value(), overlap.minimum());
        overlap.setValue(0);
        QCOMPARE(fields.text("max-overlap"), std::optional<std::string>("0"));
        job::Job job;
        fields.read(job);
        QVERIFY(job.maxOverlap == 0.0 && job.threads == 0);
    }
};

const flcc::test::TestClass<OptionFieldsTest> kOptionFieldsTest;
#include "option_fields_test.moc"
