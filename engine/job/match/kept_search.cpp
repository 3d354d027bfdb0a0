#include "engine/job/match/kept_search.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <fstream>
#include <system_error>

#include "engine/base/error.h"
#include "engine/io/atomic_file.h"
#include "engine/io/digest.h"
#include "engine/job/report/json_rows.h"
#include "engine/method/shared/posed_view.h"
#include "engine/plan/knowledge.h"

namespace flcc::job::detail {

using base::Error;
using base::ErrorCode;
using json::Json;

namespace {

// A file is kMagic, the length of the header as a uint64, the header (JSON), the rows of values,
// statuses, doubles if there are any, and indices, with statistics of the search those of sums,
// squares, counts and the sum of the members, all little-endian, and the SHA-256 of all that in
// hexadecimal digits.
constexpr std::string_view kMagic = "FLCC search 1\n\0\0";
constexpr std::string_view kExtension = ".flcc-search";
constexpr std::size_t kDigest = 64;

template <class T> void addView(io::Digest& digest, const base::View<const T>& view) {
    const base::Extents& n = view.extents();
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            digest.add(view.row(y, z), static_cast<std::size_t>(n.x) * sizeof(T));
        }
    }
}

void addText(io::Digest& digest, const std::string& text) {
    digest.add(text.c_str(), text.size() + 1);
}

void addPixels(io::Digest& digest, const method::MaskedView& view) {
    addText(digest, base::toString(view.extents()) + " " +
                        std::string(base::name(base::pixelType(view.pixels))));
    std::visit([&](const auto& pixels) { addView(digest, pixels); }, view.pixels);
    addText(digest, view.mask.data() != nullptr ? "mask" : "");
    if (view.mask.data() != nullptr) {
        addView(digest, view.mask);
    }
    addText(digest, view.weights.data() != nullptr ? "weights" : "");
    if (view.weights.data() != nullptr) {
        addView(digest, view.weights);
    }
}

/// Everything that a map of facts holds but the counts of statuses, which are counted at the end.
Json toJson(const method::MapFacts& facts) {
    const auto& [counts, overRange, recomputed, boundMedian, largestBound, largestRelative,
                 largestLowConf, largestRounding, scores] = facts;
    (void)counts;
    return {overRange,       recomputed,      boundMedian,    largestBound, largestRelative,
            largestLowConf,  largestRounding, scores.count,   scores.sum,   scores.squares,
            scores.rounding, scores.anyRange, scores.exponent};
}

method::MapFacts factsOf(const Json& json) {
    method::MapFacts facts;
    std::size_t i = 0;
    const auto take = [&](auto& value) { json.at(i++).get_to(value); };
    take(facts.overRange);
    take(facts.recomputed);
    take(facts.boundMedian);
    take(facts.largestBound);
    take(facts.largestRelative);
    take(facts.largestLowConf);
    take(facts.largestRounding);
    take(facts.scores.count);
    take(facts.scores.sum);
    take(facts.scores.squares);
    take(facts.scores.rounding);
    take(facts.scores.anyRange);
    take(facts.scores.exponent);
    return facts;
}

Error damaged(const std::filesystem::path& file) {
    return {ErrorCode::Input, "the kept search " + file.string() +
                                  " is damaged; delete it to search from the beginning"};
}

/// Calls `use(bytes, count)` for the rows of all images of a bank.
template <class Use>
void forRows(const method::BankView& bank, match::Likeness* likeness, const Use& use) {
    const auto rows = [&](const auto& view) {
        if (view.data() == nullptr) {
            return;
        }
        const base::Extents& n = view.extents();
        for (std::int64_t z = 0; z < n.z; ++z) {
            for (std::int64_t y = 0; y < n.y; ++y) {
                use(view.row(y, z), static_cast<std::size_t>(n.x) * sizeof(*view.data()));
            }
        }
    };
    rows(bank.map.value);
    rows(bank.map.status);
    rows(bank.map.exact);
    rows(bank.index);
    rows(bank.sums.sum);
    rows(bank.sums.squares);
    rows(bank.sums.count);
    if (likeness != nullptr) {
        rows(likeness->sum());
    }
}

bool isSearch(const std::filesystem::path& file) { return file.extension() == kExtension; }

} // namespace

std::string searchIdentity(const Job& job, const Inputs& inputs, const std::vector<int>& group,
                           const method::Problem& problem) {
    io::Digest digest;
    addText(digest, plan::machineKey());
    addText(digest, plan::problemKey(problem, {.transforms = job.transforms}, "", job.method,
                                     job.device, job.tile));
    addText(digest, job.planReport.string());
    addPixels(digest, inputs.sceneView());
    for (const method::MaskedView& templ : inputs.templViews(group)) {
        addPixels(digest, templ);
    }
    const rotation::PoseBank& bank = *inputs.bankOf(group);
    for (const std::int64_t number : {std::int64_t{0}, bank.count() - 1}) { // as filters leave them
        const rotation::TurnedTemplate member = bank.member(number);
        addPixels(digest, method::viewOf(member));
    }
    const rotation::Cover& cover = bank.cover();
    digest.add(cover.turns.data(), cover.turns.size() * sizeof(cover.turns.front()));
    digest.add(cover.scales.data(), cover.scales.size() * sizeof(double));
    addText(digest, cover.mirror ? "mirror" : "");
    return digest.text();
}

KeptSearch::KeptSearch(const std::filesystem::path& folder, const std::string& identity,
                       std::int64_t members)
    : m_file(folder / (identity.substr(0, 16) + std::string(kExtension))), m_identity(identity) {
    std::error_code none;
    for (std::filesystem::directory_iterator each(folder, none), end; !none && each != end;
         each.increment(none)) {
        m_others += isSearch(each->path()) && each->path() != m_file ? 1 : 0;
    }
    if (!std::filesystem::exists(m_file, none)) {
        return;
    }
    if (!std::filesystem::is_regular_file(m_file, none)) { // opening a pipe waits for its writer
        throw damaged(m_file);
    }
    std::ifstream in(m_file, std::ios::binary);
    std::array<char, kMagic.size()> magic{};
    std::uint64_t length = 0;
    constexpr std::uint64_t kLongest = 1 << 20;
    if (!in.read(magic.data(), magic.size()) ||
        !in.read(reinterpret_cast<char*>(&length), sizeof length) || length > kLongest ||
        std::string_view(magic.data(), magic.size()) != kMagic) {
        throw damaged(m_file);
    }
    std::string text(length, ' ');
    in.read(text.data(), static_cast<std::streamsize>(length));
    try {
        const Json header = Json::parse(text);
        if (header.at("identity") != m_identity) {
            throw damaged(m_file);
        }
        m_part = SearchPart{.members = header.at("members").get<std::int64_t>(),
                            .candidate = json::candidateOf(header.at("candidate")),
                            .facts = factsOf(header.at("facts"))};
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception&) {
        throw damaged(m_file);
    }
    if (m_part->members < 0 || m_part->members > members) {
        throw damaged(m_file);
    }
    m_scores = kMagic.size() + sizeof length + length;
}

/// A folder may come from somebody else, and a right digest says only that the file is whole.
void KeptSearch::requireMembers(const method::BankView& best) const {
    const base::Extents& n = best.map.status.extents();
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            const base::Status* const statuses = best.map.status.row(y, z);
            const std::int32_t* const members = best.index.row(y, z);
            for (std::int64_t x = 0; x < n.x; ++x) {
                const bool scored = base::hasValue(statuses[x]);
                if (static_cast<std::size_t>(statuses[x]) >= base::kStatusCount ||
                    members[x] < (scored ? 0 : -1) || members[x] >= m_part->members) {
                    throw damaged(m_file);
                }
            }
        }
    }
}

void KeptSearch::requireWritable() const {
    std::error_code failed;
    std::filesystem::create_directories(m_file.parent_path(), failed);
    if (failed) {
        throw Error(ErrorCode::Output,
                    "the folder " + m_file.parent_path().string() +
                        " for kept searches cannot be made: " + failed.message());
    }
    const io::AtomicFile trial(m_file);
}

void KeptSearch::load(const method::BankView& best, match::Likeness* likeness) const {
    std::ifstream in(m_file, std::ios::binary);
    io::Digest digest;
    std::string head(m_scores, ' ');
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    digest.add(head.data(), head.size());
    forRows(best, likeness, [&](auto* row, std::size_t bytes) {
        in.read(reinterpret_cast<char*>(row), static_cast<std::streamsize>(bytes));
        digest.add(row, bytes);
    });
    std::string stated(kDigest, ' ');
    if (!in.read(stated.data(), kDigest) || stated != digest.text() ||
        in.peek() != std::ifstream::traits_type::eof()) {
        throw damaged(m_file);
    }
    requireMembers(best);
    if (likeness != nullptr) {
        likeness->resumeAfter(m_part->members);
    }
}

void KeptSearch::keep(const SearchPart& part, const method::BankView& best,
                      match::Likeness* likeness) {
    const base::Stopwatch watch;
    plan::CandidateReport row;
    row.candidate = part.candidate;
    const std::string header = Json{
        {"identity", m_identity},
        {"members", part.members},
        {"extents", json::toJson(best.map.value.extents())},
        {"candidate", json::toJson(row)},
        {"facts",
         toJson(part.facts)}}.dump();
    io::AtomicFile file(m_file);
    std::ofstream out(file.temporary(), std::ios::binary);
    io::Digest digest;
    const auto write = [&](const void* bytes, std::size_t count) {
        out.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
        digest.add(bytes, count);
    };
    const std::uint64_t length = header.size();
    write(kMagic.data(), kMagic.size());
    write(&length, sizeof length);
    write(header.data(), header.size());
    forRows(best, likeness, write);
    const std::string stated = digest.text();
    out.write(stated.data(), static_cast<std::streamsize>(stated.size()));
    out.close();
    if (!out) {
        throw Error(ErrorCode::Output, "the finished part of the search cannot be written to " +
                                           m_file.string() + "; is the disk full?");
    }
    file.commit();
    m_part = part;
    m_scores = kMagic.size() + sizeof length + header.size();
    m_keepMs = watch.ms();
    m_since = {};
}

bool KeptSearch::isDue() const {
    constexpr double kLeastMs = 5000;
    constexpr double kTimes = 20; // of the time that keeping takes
    return m_since.ms() > std::max(kLeastMs, kTimes * m_keepMs);
}

} // namespace flcc::job::detail
