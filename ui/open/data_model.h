#pragma once

#include <QAbstractListModel>
#include <QImage>
#include <QString>

#include <vector>

#include "ui/document/document.h"

namespace flcc::ui {

/// A list of a document's scenes, its templates and the results of the shown scene, with headings.
class DataModel : public QAbstractListModel {
    Q_OBJECT

  public:
    enum class Kind { Heading, Scene, Template, Result, Hint };
    enum Role {
        KindRole = Qt::UserRole + 1,
        DetailRole, ///< extents of an image, or outcome of a run
        TypeRole,   ///< pixel type
        BadgeRole,
        ResultRole,
        TemplateRole, ///< number of the template, -1 for other rows
        SceneRole,    ///< number of the scene, -1 for other rows
        ShownRole
    };

    explicit DataModel(Document& document, QObject* parent = nullptr);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;

  private:
    struct Row {
        Kind kind = Kind::Heading;
        QString title;
        QString detail{}; // braces: most rows are made from kind and title only
        QString type{};
        QString badge{};
        QString tip{};
        QImage thumbnail{};
        int result = -1;
        int templ = -1;
        int scene = -1;
    };
    void rebuild();
    void addScenes();
    void addTemplates();
    void addResults();
    void countPeaks();
    void describe(Row& row, const ResultEntry& entry) const;

    Document& m_document;
    bool m_hasBox = false; ///< when the rows were made
    std::vector<Row> m_rows;
};

} // namespace flcc::ui
