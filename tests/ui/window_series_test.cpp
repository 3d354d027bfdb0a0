#include <QtTest>

#include <QAction>
#include <QApplication>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QLineEdit>
#include <QMimeData>
#include <QTemporaryDir>
#include <QUrl>

#include "engine/io/detail/reader_process.h"
#include "tests/engine/io/dicom_fixture.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/main_window.h"
#include "ui/message_bar.h"

using namespace flcc;
using namespace flcc::ui;

/// A DICOM series is opened as a volume.
class WindowSeriesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() {
        io::detail::readerSetup().program = FLCC_READER;
        for (int i = 0; i < 5; ++i) {
            test::DicomRecipe slice;
            slice.columns = 20;
            slice.rows = 16;
            slice.position = base::Point{0, 0, 2.0 * i};
            for (int n = 0; n < 20 * 16; ++n) {
                slice.pixels.push_back(static_cast<unsigned char>((n * 7 + i * 31) % 251));
                slice.pixels.push_back(0);
            }
            test::writeFile(m_folder.filePath(QString("%1.dcm").arg(i)).toStdString(),
                            test::makeDicom(slice));
        }
    }
    void init() { m_window = test::shownWindow(); }
    void cleanup() { m_window.reset(); }

    void theMenuOpensAFolder() {
        test::child<QAction>(*m_window, "openSeries").trigger();
        auto& dialog = test::child<QFileDialog>(*m_window, "openDialog");
        QTRY_VERIFY(dialog.isVisible());
        auto& field = test::child<QLineEdit>(dialog, "fileNameEdit");
        field.setText(m_folder.path());
        QTest::keyClick(&field, Qt::Key_Return);
        requireVolume();
    }

    void aFolderIsDropped() {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(m_folder.path())});
        QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(m_window.get(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(m_window.get(), &drop);
        requireVolume();
    }

    void aFolderWithoutPicturesIsASentence() {
        const QTemporaryDir empty;
        m_window->openFile(empty.path());
        QVERIFY(test::waitUntilIdle(*m_window));
        const QString sentence = test::child<MessageBar>(*m_window, "messageBar").sentence();
        QVERIFY2(sentence.contains(QStringLiteral("folder without DICOM")), qPrintable(sentence));
    }

  private:
    void requireVolume() {
        QTRY_VERIFY(m_window->document().hasScene());
        QVERIFY((m_window->document().sceneExtents() == base::Extents{20, 16, 5}));
        QCOMPARE(m_window->document().scene().image->geometry.spacing[2], 2.0);
        QCOMPARE(m_window->document().scene().name, QFileInfo(m_folder.path()).fileName());
        QVERIFY(m_window->document().isVolume());
        QVERIFY(test::waitUntilIdle(*m_window));
    }

    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
};

const flcc::test::TestClass<WindowSeriesTest> kWindowSeriesTest;
#include "window_series_test.moc"
