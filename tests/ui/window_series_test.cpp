#include <QtTest>

#include <QAction>
#include <QApplication>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTreeWidget>
#include <QUrl>

#include <numeric>

#include <hdf5.h>

#include "engine/io/process/reader_process.h"
#include "tests/engine/io/dicom_fixture.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/base/message_bar.h"
#include "ui/window/main_window.h"

using namespace flcc;
using namespace flcc::ui;

/// A DICOM series is opened as a volume, a dataset of an HDF5 file as an image.
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

    void oneOfSeveralSeriesIsChosenFromAList() {
        const QTemporaryDir folder;
        for (int i = 0; i < 5; ++i) {
            test::DicomRecipe slice;
            slice.columns = i < 3 ? 12 : 10;
            slice.rows = 8;
            slice.position = base::Point{0, 0, 2.0 * i};
            slice.series = i < 3 ? "1.2.3" : "1.2.4";
            slice.description = i < 3 ? "head" : "scout";
            slice.pixels.assign(static_cast<std::size_t>(slice.columns * slice.rows * 2), 3);
            slice.pixels[0] = static_cast<unsigned char>(i);
            test::writeFile(folder.filePath(QString("%1.dcm").arg(i)).toStdString(),
                            test::makeDicom(slice));
        }
        m_window->openFile(folder.path());
        QTRY_VERIFY(m_window->findChild<QDialog*>(QStringLiteral("imageDialog")) != nullptr);
        auto& dialog = test::child<QDialog>(*m_window, "imageDialog");
        QTRY_VERIFY(dialog.isVisible());
        auto& list = test::child<QTreeWidget>(dialog, "imageList");
        QCOMPARE(list.topLevelItemCount(), 2);
        QCOMPARE(list.topLevelItem(0)->text(0), QStringLiteral("head"));
        QCOMPARE(list.topLevelItem(0)->text(1), QStringLiteral("3"));
        QCOMPARE(list.topLevelItem(1)->text(2), QString::fromUtf8("10 × 8"));
        QTest::keyClick(&list, Qt::Key_Down);
        test::click(test::child<QPushButton>(dialog, "imageOpen"));
        QTRY_VERIFY(m_window->document().hasScene());
        QVERIFY((m_window->document().sceneExtents() == base::Extents{10, 8, 2}));
        // Cancelled: nothing opens, and everything is usable.
        QVERIFY(test::waitUntilIdle(*m_window));
        m_window->openFile(folder.path());
        QTRY_VERIFY(m_window->findChild<QDialog*>(QStringLiteral("imageDialog")) != nullptr);
        QTest::keyClick(m_window->findChild<QDialog*>(QStringLiteral("imageDialog")),
                        Qt::Key_Escape);
        QVERIFY(test::waitUntilIdle(*m_window));
        QVERIFY((m_window->document().sceneExtents() == base::Extents{10, 8, 2}));
    }

    void oneOfSeveralDatasetsIsChosenFromAList() {
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("several.h5"));
        writeDatasets(file);
        const auto dialogOf = [this, &file]() -> QDialog* {
            m_window->openFile(file);
            QDialog* dialog = nullptr;
            (void)QTest::qWaitFor([&] {
                dialog = m_window->findChild<QDialog*>(QStringLiteral("imageDialog"));
                return dialog != nullptr && dialog->isVisible();
            });
            return dialog;
        };
        // Cancelled before anything is open: nothing opens, no message, and the file can be opened.
        QDialog* dialog = dialogOf();
        QVERIFY(dialog != nullptr);
        QCOMPARE(dialog->windowTitle(), QStringLiteral("Which dataset?"));
        auto* list = &test::child<QTreeWidget>(*dialog, "imageList");
        QCOMPARE(list->topLevelItemCount(), 2);
        QCOMPARE(list->topLevelItem(0)->text(0), QStringLiteral("/raw/image"));
        QCOMPARE(list->topLevelItem(0)->text(1), QString::fromUtf8("12 × 8"));
        QCOMPARE(list->topLevelItem(1)->text(0), QStringLiteral("/volume"));
        QCOMPARE(list->topLevelItem(1)->text(1), QString::fromUtf8("20 × 16 × 5"));
        QCOMPARE(list->topLevelItem(1)->text(2), QStringLiteral("float32"));
        QTest::keyClick(dialog, Qt::Key_Escape);
        QVERIFY(test::waitUntilIdle(*m_window));
        QVERIFY(!m_window->document().hasScene());
        QVERIFY(test::child<MessageBar>(*m_window, "messageBar").kind() != MessageBar::Kind::Error);
        // Chosen with the keys, opened with the button.
        QTRY_VERIFY(m_window->findChild<QDialog*>(QStringLiteral("imageDialog")) == nullptr);
        dialog = dialogOf();
        QVERIFY(dialog != nullptr);
        list = &test::child<QTreeWidget>(*dialog, "imageList");
        QTest::keyClick(list, Qt::Key_Down);
        test::click(test::child<QPushButton>(*dialog, "imageOpen"));
        QTRY_VERIFY(m_window->document().hasScene());
        QVERIFY((m_window->document().sceneExtents() == base::Extents{20, 16, 5}));
        QCOMPARE(base::valueAt(base::viewOf(m_window->document().scene().image->pixels), {3, 4, 2}),
                 2 * 320 + 4 * 20 + 3.0);
        QVERIFY(m_window->document().scene().name.endsWith(QStringLiteral("volume")));
        QVERIFY(test::waitUntilIdle(*m_window));
        // Cancelled with a scene open: it stays. Chosen by a double click: it is replaced.
        QTRY_VERIFY(m_window->findChild<QDialog*>(QStringLiteral("imageDialog")) == nullptr);
        dialog = dialogOf();
        QVERIFY(dialog != nullptr);
        QTest::keyClick(dialog, Qt::Key_Escape);
        QVERIFY(test::waitUntilIdle(*m_window));
        QVERIFY((m_window->document().sceneExtents() == base::Extents{20, 16, 5}));
        QTRY_VERIFY(m_window->findChild<QDialog*>(QStringLiteral("imageDialog")) == nullptr);
        dialog = dialogOf();
        QVERIFY(dialog != nullptr);
        list = &test::child<QTreeWidget>(*dialog, "imageList");
        const QPoint first = list->visualItemRect(list->topLevelItem(0)).center();
        QTest::mouseClick(list->viewport(), Qt::LeftButton, Qt::NoModifier, first);
        QTest::mouseDClick(list->viewport(), Qt::LeftButton, Qt::NoModifier, first);
        QTRY_VERIFY((m_window->document().sceneExtents() == base::Extents{12, 8, 1}));
        QVERIFY(test::waitUntilIdle(*m_window));
    }

  private:
    /// Two images and a list of numbers, which is no image.
    static void writeDatasets(const QString& path) {
        const hid_t file =
            H5Fcreate(path.toUtf8().constData(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        const hid_t group = H5Gcreate2(file, "/raw", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        const auto add = [file](const char* name, hid_t stored, const std::vector<hsize_t>& sizes) {
            hsize_t count = 1;
            for (const hsize_t size : sizes) {
                count *= size;
            }
            std::vector<double> values(count);
            std::iota(values.begin(), values.end(), 0.0);
            const hid_t space =
                H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr);
            const hid_t dataset =
                H5Dcreate2(file, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
            H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
            H5Dclose(dataset);
            H5Sclose(space);
        };
        add("/raw/image", H5T_STD_U8LE, {8, 12});
        add("/volume", H5T_IEEE_F32LE, {5, 16, 20});
        H5Gclose(group);
        H5Fclose(file);
    }

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
