#include <QtTest>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "tests/support/test_class.h"

using namespace flcc;

class TextTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void controlCharactersBecomeSpaces();
    void anErrorIsOneLine();
    void aLongTextIsCutBetweenCharacters();
    void bracketsInTextsDoNotNest();
    void depthIsLimitedToAHundred();
    void keysOfAnObjectAreLimited();
};

void TextTest::controlCharactersBecomeSpaces() {
    QCOMPARE(base::oneLine("a\nb\x1b[31m\x7f"), std::string("a b [31m "));
    QCOMPARE(base::oneLine("\xc2\x9b"
                           "31m \xc2\xb5m \xc2"),
             std::string("  31m \xc2\xb5m \xc2"));
}

void TextTest::anErrorIsOneLine() {
    const base::Error error(base::ErrorCode::Input, "cannot read a\r\nb");
    QCOMPARE(std::string(error.what()), std::string("cannot read a  b"));
}

void TextTest::aLongTextIsCutBetweenCharacters() {
    const std::string whole(200, 'x');
    QCOMPARE(base::excerpt(whole), whole);
    QCOMPARE(base::excerpt(whole + "y"), whole + "...");
    QCOMPARE(base::excerpt(std::string(199, 'x') + "\xc3\xa4z"), std::string(199, 'x') + "...");
    QCOMPARE(base::excerpt(std::string(300, '\x80')), std::string("..."));
    QCOMPARE(base::excerpt("a\tb"), std::string("a b"));
}

void TextTest::bracketsInTextsDoNotNest() {
    QVERIFY(!base::nestsTooDeep("\"" + std::string(1000, '[') + "\""));
    QVERIFY(!base::nestsTooDeep("\"\\\"" + std::string(1000, '{') + "\""));
    QVERIFY(base::nestsTooDeep("\"\\\\\"" + std::string(1000, '{')));
}

void TextTest::depthIsLimitedToAHundred() {
    QVERIFY(!base::nestsTooDeep(""));
    QVERIFY(!base::nestsTooDeep(std::string(100, '[') + std::string(100, ']') + "[{}]"));
    QVERIFY(base::nestsTooDeep(std::string(101, '[')));
}

void TextTest::keysOfAnObjectAreLimited() {
    const auto object = [](int keys) {
        std::string text = "{\"k\": 0";
        for (int i = 1; i < keys; ++i) {
            text += ", \"k:" + std::to_string(i) + "\": 0";
        }
        return text + "}";
    };
    QVERIFY(!base::nestsTooDeep(object(10'000)));
    QVERIFY(!base::nestsTooDeep("[" + object(6000) + "," + object(6000) + "]"));
    QVERIFY(base::nestsTooDeep("[" + object(10'001) + "]"));
}

const flcc::test::TestClass<TextTest> kTextTest;
#include "text_test.moc"
