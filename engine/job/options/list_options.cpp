#include "engine/job/options/list_options.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/job/options/export_options.h"
#include "engine/job/options/option_kinds.h"
#include "engine/job/options/option_table.h"
#include "engine/job/peak_lists.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;

namespace {

using detail::shortest;
using UnknownRow = detail::Option<io::ListUnknowns>;

constexpr double kMostBinning = 1e4;
constexpr double kMostPixel = 1e7;

[[noreturn]] void refuseValue(const std::string& name, const std::string& text,
                              const std::string& wanted) {
    throw Error(ErrorCode::CommandLine,
                "--" + name + " must be " + wanted + ", not \"" + base::excerpt(text) + "\"");
}

/// "X,Y" or "X,Y,Z", each at least 1.
base::Extents toExtents(const std::string& name, const std::string& text) {
    std::array<std::int64_t, 3> edges{0, 0, 1};
    const char* at = text.data();
    const char* const end = at + text.size();
    std::size_t count = 0;
    for (; count < 3; ++count) {
        const auto result = std::from_chars(at, end, edges[count]);
        if (result.ec != std::errc() || edges[count] < 1 || edges[count] > 1'000'000'000) {
            refuseValue(name, text, "lengths X,Y[,Z] in voxels");
        }
        at = result.ptr;
        if (at == end) {
            break;
        }
        if (*at++ != ',' || count == 2) {
            refuseValue(name, text, "lengths X,Y[,Z] in voxels");
        }
    }
    if (count == 0) {
        refuseValue(name, text, "lengths X,Y[,Z] in voxels");
    }
    return {edges[0], edges[1], edges[2]};
}

std::string extentsText(const base::Extents& extents) {
    return std::to_string(extents.x) + "," + std::to_string(extents.y) + "," +
           std::to_string(extents.z);
}

UnknownRow numberRow(const std::string& name, const std::string& value, const std::string& help,
                     double most, std::optional<double> io::ListUnknowns::*member) {
    return {name,
            ValueKind::Number,
            value,
            help,
            [member](const io::ListUnknowns& unknowns) {
                return unknowns.*member ? std::optional(shortest(*(unknowns.*member)))
                                        : std::nullopt;
            },
            [member, name, most](io::ListUnknowns& unknowns, const std::string& text) {
                unknowns.*member = detail::kinds::toNumber(name, text, 1e-6, most);
            }};
}

UnknownRow extentsRow(const std::string& name, const std::string& help,
                      std::optional<base::Extents> io::ListUnknowns::*member) {
    return {name,
            ValueKind::Text,
            "X,Y[,Z]",
            help,
            [member](const io::ListUnknowns& unknowns) {
                return unknowns.*member ? std::optional(extentsText(*(unknowns.*member)))
                                        : std::nullopt;
            },
            [member, name](io::ListUnknowns& unknowns, const std::string& text) {
                unknowns.*member = toExtents(name, text);
            }};
}

UnknownRow anchorRow() {
    using io::Anchor;
    return {"anchor",
            ValueKind::Text,
            "corner|centre",
            "what x and y of a table mean that has no columns cx and cy",
            [](const io::ListUnknowns& unknowns) -> std::optional<std::string> {
                return !unknowns.anchor                     ? std::nullopt
                       : *unknowns.anchor == Anchor::Corner ? std::optional<std::string>("corner")
                                                            : std::optional<std::string>("centre");
            },
            [](io::ListUnknowns& unknowns, const std::string& text) {
                if (text != "corner" && text != "centre") {
                    refuseValue("anchor", text, "corner or centre");
                }
                unknowns.anchor = text == "corner" ? Anchor::Corner : Anchor::Centre;
            }};
}

/// Facts that no file of a scene tells; box and anchor belong to lists that are read.
const std::vector<UnknownRow>& unknownRows() {
    static const std::vector<UnknownRow> rows{
        numberRow("binning", "B",
                  "lists for tomography: voxels of the tilt series along one voxel of the scene; 1 "
                  "if it is not binned",
                  kMostBinning, &io::ListUnknowns::binning),
        numberRow("unbinned-pixel", "T", "pixel of the tilt series, angstrom", kMostPixel,
                  &io::ListUnknowns::unbinnedPixel),
        extentsRow("unbinned-size", "size of the tomogram in voxels of the tilt series",
                   &io::ListUnknowns::unbinnedSize),
        detail::kinds::wordOption<io::ListUnknowns>(
            "binned-by",
            "how the scene was binned: crop of a transform about the middle, or average of blocks",
            {"crop", "average"},
            [](const io::ListUnknowns& unknowns) {
                return std::string(io::name(unknowns.binnedBy));
            },
            [](io::ListUnknowns& unknowns, const std::string& text) {
                unknowns.binnedBy = text == "average" ? io::BinnedBy::Average : io::BinnedBy::Crop;
            }),
        {"tomogram", ValueKind::Text, "NAME",
         "name of the tilt series of the scene, in lists that name it; of a list of several "
         "tomograms its rows are read (default: by the name of the scene's file)",
         [](const io::ListUnknowns& unknowns) {
             return unknowns.tomogram.empty() ? std::nullopt : std::optional(unknowns.tomogram);
         },
         [](io::ListUnknowns& unknowns, const std::string& text) {
             if (text.empty() || text.find_first_of(" \t\n\r\"'") != text.npos) {
                 refuseValue("tomogram", text, "a name without blanks and quotes");
             }
             unknowns.tomogram = text;
         }},
        extentsRow("box", "size of the boxes, for lists that do not state it",
                   &io::ListUnknowns::box),
        anchorRow()};
    return rows;
}

std::string formatNames() {
    std::string names;
    for (const io::ListFormatInfo& info : io::listFormats()) {
        names += (names.empty() ? "" : ", ") + std::string(info.name);
    }
    return names;
}

using Row = detail::Option<ListConversion>;

Row formatRow(const std::string& name, const std::string& help,
              io::ListFormat ListConversion::*member) {
    return {name,
            ValueKind::Text,
            "FORMAT",
            help,
            [member](const ListConversion& conversion) {
                return conversion.*member == io::ListFormat::Auto
                           ? std::nullopt
                           : std::optional(std::string(io::name(conversion.*member)));
            },
            [member, name](ListConversion& conversion, const std::string& text) {
                conversion.*member = io::listFormatNamed(text, "--" + name);
            }};
}

Row fileRow(const std::string& name, const std::string& help,
            std::filesystem::path ListConversion::*member) {
    return {name,
            ValueKind::Text,
            "FILE",
            help,
            [member](const ListConversion& conversion) {
                return (conversion.*member).empty() ? std::nullopt
                                                    : std::optional((conversion.*member).string());
            },
            [member, name](ListConversion& conversion, const std::string& text) {
                if (text.empty() || text.find('\0') != std::string::npos) {
                    refuseValue(name, text, "the name of a file");
                }
                conversion.*member = text;
            }};
}

Row onlyRow() {
    return {"only",
            ValueKind::Text,
            "WORDS",
            "leave the positions with these decisions: keep, reject, unsure, undecided, joined by "
            "commas",
            [](const ListConversion& conversion) -> std::optional<std::string> {
                std::string text;
                for (const match::Decision each : conversion.only) {
                    text += (text.empty() ? "" : ",") + std::string(match::name(each));
                }
                return text.empty() ? std::nullopt : std::optional(text);
            },
            [](ListConversion& conversion, const std::string& text) {
                conversion.only.clear();
                for (std::size_t at = 0; at <= text.size();) {
                    const std::size_t end = std::min(text.find(',', at), text.size());
                    const auto decision = match::decisionNamed(text.substr(at, end - at));
                    if (!decision) {
                        refuseValue("only", text,
                                    "keep, reject, unsure or undecided, joined by commas");
                    }
                    conversion.only.push_back(*decision);
                    at = end + 1;
                }
            }};
}

const detail::OptionTable<ListConversion>& table() {
    static const detail::OptionTable<ListConversion> kTable({.name = "peaks"}, [] {
        std::vector<Row> rows{
            fileRow("output", "the list that is written; without it the list is printed",
                    &ListConversion::output),
            formatRow("to", "its format; auto: by extension, csv if it is printed",
                      &ListConversion::to),
            formatRow("from", "format of the list that is read; auto: by content",
                      &ListConversion::from)};
        rows.push_back(fileRow("scene",
                               "the image that the positions lie in: its extents and "
                               "geometry",
                               &ListConversion::scene));
        rows.push_back(onlyRow());
        for (Row& row : detail::boxOptions<ListConversion>()) {
            rows.push_back(std::move(row));
        }
        rows.push_back(detail::kinds::indexOption<ListConversion>(
            "channel", "N", "channel of the scene, from 0, for boxes", &ListConversion::channel));
        rows.push_back(detail::kinds::indexOption<ListConversion>(
            "frame", "N", "frame of the scene, from 0, for boxes", &ListConversion::frame));
        for (const UnknownRow& row : unknownRows()) {
            rows.push_back(
                {row.name, row.kind, row.value, row.help,
                 [&row](const ListConversion& conversion) { return row.get(conversion.unknowns); },
                 [&row](ListConversion& conversion, const std::string& text) {
                     row.set(conversion.unknowns, text);
                 }});
        }
        return rows;
    }());
    return kTable;
}

} // namespace

std::vector<CommandOption> listOptions() { return table().options(); }

void setListOptions(ListConversion& conversion, const GivenOptions& given) {
    table().set(conversion, given);
}

void setListUnknown(io::ListUnknowns& unknowns, const std::string& option,
                    const std::string& text) {
    for (const UnknownRow& row : unknownRows()) {
        if (row.name == option) {
            row.set(unknowns, text);
        }
    }
}

namespace detail {

std::vector<Option<Job>> peakListOptions() {
    std::vector<Option<Job>> options{{
        .name = "peaks-format",
        .kind = ValueKind::Text,
        .value = "FORMAT",
        .help = "format of the peaks: auto (by extension), " + formatNames(),
        .get =
            [](const Job& job) {
                return job.peaksFormat == io::ListFormat::Auto
                           ? std::nullopt
                           : std::optional(std::string(io::name(job.peaksFormat)));
            },
        .set =
            [](Job& job, const std::string& text) {
                job.peaksFormat = io::listFormatNamed(text, "--peaks-format");
            },
    }};
    for (const UnknownRow& row : unknownRows()) {
        // Peaks have the size of their template, and columns for corner and centre.
        if (row.name != "box" && row.name != "anchor") {
            options.push_back({
                .name = row.name,
                .kind = row.kind,
                .value = row.value,
                .help = row.help,
                .get = [&row](const Job& job) { return row.get(job.peaksUnknowns); },
                .set = [&row](Job& job,
                              const std::string& text) { row.set(job.peaksUnknowns, text); },
            });
        }
    }
    return options;
}

} // namespace detail

} // namespace flcc::job
