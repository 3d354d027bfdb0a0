#pragma once

#include <QMetaType>

#include "engine/base/extents.h"

/// Extents as a column of a table of test data (QTest::addColumn).
Q_DECLARE_METATYPE(flcc::base::Extents)
