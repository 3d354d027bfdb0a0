#pragma once

#include <QCoreApplication>
#include <QString>

#include "engine/job/job.h"

namespace flcc::ui {

class Document;

/// Whether the templates of a document, or its template box, can be searched for.
struct TemplateFit {
    Q_DECLARE_TR_FUNCTIONS(TemplateFit)

  public:
    /// Why they cannot with the settings of `job`; empty if nothing speaks against it. There is a
    /// template or a box.
    [[nodiscard]] static QString reasonAgainst(const Document& document, const job::Job& job);
};

} // namespace flcc::ui
