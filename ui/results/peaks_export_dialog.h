#pragma once

#include <QDialog>

#include <functional>
#include <vector>

#include "engine/io/list_file.h"

class QCheckBox;
class QComboBox;
class QDialogButtonBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;

namespace flcc::ui {

/// Asks for the format of a list of peaks, which it remembers, and for the facts that it states and
/// no file tells, and shows the first lines of the file. Of binning and pixel of the tilt series
/// one follows from the other and the voxels of the scene, the unbinned size from its extents.
class PeaksExportDialog : public QDialog {
    Q_OBJECT

  public:
    /// `list`: what is written. `unknowns`: the facts that the fields begin with. `scenes`: how
    /// many scenes of the run have a result.
    PeaksExportDialog(io::PositionList list, const io::ListUnknowns& unknowns, int scenes,
                      QWidget* parent);

    [[nodiscard]] io::ListFormat format() const;
    /// The peaks of all scenes go into one list, whose rows name their scene.
    [[nodiscard]] bool joined() const;
    /// Which peaks are written, by what was decided on them; empty: all.
    [[nodiscard]] std::vector<match::Decision> only() const;
    /// Without a tomogram where the name of the scene's file was left as it was offered.
    [[nodiscard]] io::ListUnknowns unknowns() const { return m_list.place.unknowns; }

  private:
    void buildFields();
    void buildOnly();
    void readFields();
    void derive();
    void showDerived();
    void refresh();

    io::PositionList m_list;
    QComboBox* m_format = nullptr;
    QComboBox* m_only = nullptr;
    QCheckBox* m_joined = nullptr;
    int m_scenes = 1;
    QLabel* m_convention = nullptr;
    QWidget* m_fields = nullptr;
    QLineEdit* m_binning = nullptr;
    QLineEdit* m_pixel = nullptr;
    QLineEdit* m_size = nullptr;
    QLineEdit* m_tomogram = nullptr;
    QComboBox* m_binnedBy = nullptr;
    QLabel* m_notes = nullptr;
    QPlainTextEdit* m_preview = nullptr;
    QDialogButtonBox* m_buttons = nullptr;
    QString m_wrong;       ///< a field that cannot be read
    QString m_offered;     ///< name of the tomogram
    QStringList m_derived; ///< what fields that are empty are taken as
};

} // namespace flcc::ui
