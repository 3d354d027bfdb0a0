#include <QtTest>

#include <QStringDecoder>

#include "engine/base/base64.h"
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
    void namesAreStoredAsUtf8AndRestored_data();
    void namesAreStoredAsUtf8AndRestored();
    void utf8IsToldFromOtherBytes();
    void aTerminalShowsControlCharacters();
    void bracketsInTextsDoNotNest();
    void depthIsLimitedToAHundred();
    void keysOfAnObjectAreLimited();
    void base64IsReadBack();
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

void TextTest::namesAreStoredAsUtf8AndRestored_data() {
    QTest::addColumn<std::string>("name");
    QTest::addColumn<std::string>("stored");
    const auto row = [](const std::string& name, const std::string& stored) {
        QTest::newRow(stored.c_str()) << name << stored;
    };
    row("", "");
    row("50%E9 \xc3\xa9.mha", "50%E9 \xc3\xa9.mha"); // UTF-8 stays as it is
    row("caf\xe9.mha", "bytes:caf%E9.mha");
    row("50%E9\xe9", "bytes:50%25E9%E9");
    row("bytes:a%E9", "bytes:bytes:a%25E9");
    row("\xc3\xa9\xc3", "bytes:\xc3\xa9%C3");
    row("\xed\xa0\x80", "bytes:%ED%A0%80"); // a surrogate
}

void TextTest::namesAreStoredAsUtf8AndRestored() {
    QFETCH(std::string, name);
    QFETCH(std::string, stored);
    QCOMPARE(base::storedText(name), stored);
    QCOMPARE(base::restoredText(stored), name);
    QVERIFY(base::isUtf8(stored));
    // Every pair of bytes.
    for (int i = 0; i < 0x10000; ++i) {
        const std::string pair{static_cast<char>(i / 256), static_cast<char>(i % 256)};
        QVERIFY(base::isUtf8(base::storedText(pair, ",")));
        QCOMPARE(base::restoredText(base::storedText(pair, ",")), pair);
        QVERIFY(base::storedText(pair, ",").find(',') == std::string::npos);
    }
    QCOMPARE(base::restoredText("bytes:%4"), std::string("%4")); // not written by storedText()
    QCOMPARE(base::restoredText("bytes:%e9%"), std::string("%e9%"));
}

void TextTest::utf8IsToldFromOtherBytes() {
    // Qt as the judge: all first bytes with all second ones, and longer ones at their limits.
    const auto isValid = [](const std::string& text) {
        QStringDecoder decode(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
        const QString read = decode(QByteArrayView(text.data(), std::ssize(text)));
        return !decode.hasError() && read.toStdString() == text;
    };
    for (int i = 0; i < 0x10000; ++i) {
        const std::string two{static_cast<char>(i / 256), static_cast<char>(i % 256)};
        for (const std::string& text :
             {two, two + "\x80", two + "\xbf\xbf", two + "\x80z", two + "\xc0\x80"}) {
            if (!text.starts_with("\xef\xbb\xbf")) { // which Qt leaves out
                QVERIFY2(base::isUtf8(text) == isValid(text),
                         QByteArray(text.data(), std::ssize(text)).toHex());
            }
        }
    }
}

void TextTest::aTerminalShowsControlCharacters() {
    QCOMPARE(base::visibleText("a\x1b[31m\r\x07\x7f"), std::string("a\\x1b[31m\\x0d\\x07\\x7f"));
    QCOMPARE(base::visibleText("a\tb\n\xc3\xa9"), std::string("a\tb\n\xc3\xa9"));
    QCOMPARE(base::visibleText("\xc2\x9b"
                               "31m\x9b"
                               "31m"),
             std::string("\\xc2\\x9b31m\\x9b31m"));
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

// RFC 4648, section 10.
void TextTest::base64IsReadBack() {
    const std::vector<std::pair<std::string, std::string>> pairs{{"", ""},
                                                                 {"f", "Zg=="},
                                                                 {"fo", "Zm8="},
                                                                 {"foo", "Zm9v"},
                                                                 {"foob", "Zm9vYg=="},
                                                                 {"fooba", "Zm9vYmE="},
                                                                 {"foobar", "Zm9vYmFy"}};
    for (const auto& [bytes, text] : pairs) {
        QCOMPARE(base::toBase64(bytes), text);
        QCOMPARE(base::fromBase64(text).value_or("?"), bytes);
    }
    std::string all;
    for (int i = 0; i < 256; ++i) {
        all += static_cast<char>(i);
    }
    QCOMPARE(base::fromBase64(base::toBase64(all)).value_or("?"), all);
    QVERIFY(!base::fromBase64("Zm9v Zg=="));
}

const flcc::test::TestClass<TextTest> kTextTest;
#include "text_test.moc"
