#pragma once

#include <QObject>
#include <QString>

#include <utility>
#include <vector>

class QWidget;

namespace flcc::ui {

class Document;

/// Tooltips that say "pixels" while an image is shown and "voxels" while a volume is.
class VoxelTips : public QObject {
    Q_OBJECT

  public:
    VoxelTips(const Document& document, QObject* parent);
    /// `tip`: the text with %1 in place of the word.
    void set(QWidget* widget, const QString& tip);

  private:
    void refresh();

    const Document& m_document;
    std::vector<std::pair<QWidget*, QString>> m_tips;
};

} // namespace flcc::ui
