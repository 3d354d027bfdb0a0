#include "ui/base/text.h"

#include "ui/base/option_names.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <QStringDecoder>

#include <array>
#include <cmath>

#include "engine/base/pixels.h"

namespace flcc::ui {
namespace {

/// A byte b of a file name that is not UTF-8 is stored as this + b. That is a lone surrogate, which
/// occurs in no text, so toPath() restores the byte.
constexpr char16_t kByteMark = 0xDC00;

QString say(const char* text) { return QCoreApplication::translate("flcc::ui::text", text); }

} // namespace

QString noMemoryText() {
    return say("there is not enough memory; close other programs or set a smaller memory limit");
}

QString toQString(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString pathText(const std::filesystem::path& path) {
    const std::string bytes = path.string();
    QStringDecoder decode(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    const QString text = decode(QByteArrayView(bytes.data(), static_cast<qsizetype>(bytes.size())));
    if (!decode.hasError()) {
        return text;
    }
    // Convert byte by byte where the name is not UTF-8, so that toPath() restores the same name.
    QString kept;
    for (std::size_t at = 0; at < bytes.size();) {
        std::size_t length = 1;
        QString letter;
        for (; length <= 4 && at + length <= bytes.size(); ++length) {
            QStringDecoder one(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
            letter = one(QByteArrayView(bytes.data() + at, static_cast<qsizetype>(length)));
            if (!one.hasError()) {
                break;
            }
        }
        if (length > 4 || at + length > bytes.size()) {
            length = 1;
            letter = QChar(kByteMark + static_cast<unsigned char>(bytes[at]));
        }
        kept += letter;
        at += length;
    }
    return kept;
}

std::filesystem::path toPath(const QString& text) {
    std::string bytes;
    QString plain;
    for (const QChar letter : text) {
        const char16_t code = letter.unicode();
        const bool paired = !plain.isEmpty() && plain.back().isHighSurrogate();
        if (!paired && code >= kByteMark + 0x80 && code <= kByteMark + 0xff) {
            bytes += plain.toStdString() + static_cast<char>(code - kByteMark);
            plain.clear();
        } else {
            plain += letter;
        }
    }
    return {bytes + plain.toStdString()};
}

QString unitText(const base::Geometry& geometry) {
    return geometry.unit == "A"    ? QStringLiteral("Å")
           : geometry.unit == "um" ? QStringLiteral("µm")
                                   : toQString(geometry.unit);
}

QString extentsText(const base::Extents& extents) {
    QString text = QStringLiteral("%1 × %2").arg(extents.x).arg(extents.y);
    if (extents.z != 1) {
        text += QStringLiteral(" × %1").arg(extents.z);
    }
    return text;
}

QString voxelsWord(bool volume) { return volume ? say("voxels") : say("pixels"); }

QString voxelWord(bool volume) { return volume ? say("voxel") : say("pixel"); }

QString sizeText(const base::Extents& extents) {
    return extentsText(extents) + QChar(' ') + voxelsWord(extents.z > 1);
}

QString cornerText(const base::Index& corner, bool volume) {
    const QString text = QStringLiteral("%1, %2").arg(corner.x).arg(corner.y);
    return volume ? text + QStringLiteral(", %1").arg(corner.z) : text;
}

QString bytesText(std::int64_t bytes) {
    static constexpr std::array<const char*, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < kUnits.size()) {
        value /= 1024;
        ++unit;
    }
    return QString::number(value, 'f', unit == 0 || value >= 100 ? 0 : 1) + QChar(' ') +
           QLatin1String(kUnits[unit]);
}

QString percentText(double share) {
    return QString::number(100 * share, 'g', 2) + QStringLiteral(" %");
}

QString durationText(double milliseconds) {
    if (milliseconds < 9.95) {
        return say("%1 ms").arg(milliseconds, 0, 'f', milliseconds < 0.995 ? 2 : 1);
    }
    if (milliseconds < 999.5) {
        return say("%1 ms").arg(milliseconds, 0, 'f', 0);
    }
    if (milliseconds < 119'500) {
        return say("%1 s").arg(milliseconds / 1000, 0, 'f', milliseconds < 9'995 ? 2 : 1);
    }
    const auto seconds = static_cast<std::int64_t>(std::lround(milliseconds / 1000));
    return say("%1 min %2 s").arg(seconds / 60).arg(seconds % 60);
}

QString numberText(double value) { return QString::number(value, 'g', 6); }

QString spacingText(const base::Geometry& geometry, bool volume) {
    QString spacing =
        numberText(geometry.spacing[0]) + QStringLiteral(" × ") + numberText(geometry.spacing[1]);
    if (volume) {
        spacing += QStringLiteral(" × ") + numberText(geometry.spacing[2]);
    }
    QString source;
    switch (geometry.unitSource) {
    case base::UnitSource::Missing:
        source = say("no spacing in the file");
        break;
    case base::UnitSource::Header:
        source = say("from the header");
        break;
    case base::UnitSource::User:
        source = say("set by the user");
        break;
    }
    return say("%1 %2 (%3)").arg(spacing, unitText(geometry), source);
}

QString announcement(const QString& name, const job::SceneImage& image,
                     const base::Geometry& geometry) {
    const base::Extents extents = base::extentsOf(image.pixels);
    QString text =
        say("%1: %2, %3, spacing %4")
            .arg(name, sizeText(extents), toQString(base::name(base::pixelType(image.pixels))),
                 spacingText(geometry, extents.z > 1));
    if (geometry.axes == base::WorldAxes::Ras) {
        text += say(", positions in RAS (right, anterior, superior)");
    } else if (geometry.axes == base::WorldAxes::Lps) {
        text += say(", positions in LPS (left, posterior, superior)");
    }
    return withNotes(text, {image.note});
}

QString withNotes(QString text, const std::vector<std::string>& notes) {
    for (const std::string& note : notes) {
        if (!note.empty()) {
            text += QStringLiteral("; ") + inWindowWords(note);
        }
    }
    return text;
}

QString deviceText(std::string_view id) { return toQString(id).toUpper().replace(':', ' '); }

QString threadsText(int count) {
    return count == 1 ? say("1 thread") : say("%1 threads").arg(count);
}

QString peaksText(std::int64_t count) {
    if (count == 0) {
        return say("no peaks");
    }
    return count == 1 ? say("1 peak") : say("%1 peaks").arg(count);
}

QString searchedText(const job::JobReport& report) {
    const QLocale locale;
    return say("%1 of %2 orientations")
        .arg(locale.toString(static_cast<qlonglong>(report.poses->done)),
             locale.toString(static_cast<qlonglong>(report.poses->members)));
}

QString candidateText(const method::Candidate& candidate) {
    QString text = toQString(candidate.method);
    const base::Extents& tile = candidate.tile;
    if (tile.x > 0) {
        text += QStringLiteral(" %1 × %2").arg(tile.x).arg(tile.y);
        if (tile.z > 1) {
            text += QStringLiteral(" × %1").arg(tile.z);
        }
    }
    if (candidate.parts > 0) {
        text += say(" in %1 parts").arg(candidate.parts);
    }
    if (candidate.transforms == method::Transforms::Fftw) {
        text += QStringLiteral(", FFTW");
    }
    return text;
}

QString partsText(const method::DeviceTimes& times) {
    return say("(upload %1, compute %2, download %3)")
        .arg(durationText(times.upload), durationText(times.compute), durationText(times.download));
}

QString momentText(std::int64_t seconds) {
    return QLocale::c().toString(QDateTime::fromSecsSinceEpoch(seconds),
                                 QStringLiteral("d MMMM yyyy, HH:mm:ss"));
}

} // namespace flcc::ui
