#include <QtTest>

#include "engine/base/error.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Message;

namespace {

const Message kMessage("memory-too-small",
                       "the limit of {limit} is too small for {scene}; raise {--memory} or use "
                       "{--method tiled}",
                       {{"limit", "3 MiB"}, {"scene", base::Extents{70, 60, 1}}});

} // namespace

class BaseMessageTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void theEnglishTextHasValuesAndOptions() {
        QCOMPARE(kMessage.text(), std::string("the limit of 3 MiB is too small for 70x60x1; raise "
                                              "--memory or use --method tiled"));
        const Message number("count", "{n} of {missing} {", {{"n", std::int64_t{7}}});
        QCOMPARE(number.text(), std::string("7 of {missing} {"));
        // Values are not patterns.
        QCOMPARE(Message("a", "{file}", {{"file", std::string("{--x}")}}).text(),
                 std::string("{--x}"));
    }

    void aProgramSaysItInItsOwnWords() {
        const Message::Words words{[](const Message::Value& value) {
                                       const auto* extents = std::get_if<base::Extents>(&value);
                                       return extents ? std::to_string(extents->x) + " mal " +
                                                            std::to_string(extents->y)
                                                      : std::get<std::string>(value);
                                   },
                                   [](std::string_view name, std::string_view word) {
                                       return "<" + std::string(name) + (word.empty() ? "" : "=") +
                                              std::string(word) + ">";
                                   }};
        QCOMPARE(
            kMessage.say("Für {scene} reichen {limit} nicht: {--memory}, {--method tiled}", words),
            std::string("Für 70 mal 60 reichen 3 MiB nicht: <memory>, <method=tiled>"));
    }

    void anErrorKeepsItsMessageInAContext() {
        const base::Error error(base::ErrorCode::Memory, kMessage);
        QCOMPARE(std::string(error.what()), kMessage.text());
        const base::Error within = error.within("template 1: ").within("scene a.mha: ");
        QCOMPARE(std::string(within.what()), "scene a.mha: template 1: " + kMessage.text());
        QCOMPARE(within.context(), std::string("scene a.mha: template 1: "));
        QCOMPARE(within.message()->key(), std::string("memory-too-small"));
        QVERIFY(within.code() == base::ErrorCode::Memory);
        const base::Error plain(base::ErrorCode::Input, "cannot read a\nb");
        QVERIFY(plain.message() == nullptr);
        QCOMPARE(std::string(plain.within("scene c: ").what()),
                 std::string("scene c: cannot read a b"));
        QCOMPARE(plain.within("scene c: ").context(), std::string());
    }
};

const flcc::test::TestClass<BaseMessageTest> kBaseMessageTest;

#include "message_test.moc"
