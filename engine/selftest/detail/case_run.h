#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/match/peaks.h"
#include "engine/selftest/detail/judge.h"
#include "engine/selftest/self_test.h"

namespace flcc::selftest {

/// Runs one case and collects its results row by row. After a cancellation it does nothing more.
class CaseRun {
  public:
    CaseRun(std::string name, const Options& options, Judge& judge, std::stop_token stop,
            std::vector<Row>& rows);

    /// Tests every method and candidate for `templ` in `scene` on every instruction set; compares
    /// all voxels.
    void judge(const method::MaskedView& scene, const method::MaskedView& templ,
               const base::Extents& tile = {0, 0, 0}, const Asked& asked = {});
    /// As judge(), for panels too large to compare all voxels: compares the voxels `places` and
    /// `count` seeded ones.
    void judgeSome(const method::MaskedView& scene, const method::MaskedView& templ,
                   const std::vector<base::Index>& places, int count);
    /// Both problems must give the same map, bit for bit.
    void same(const method::MaskedView& scene, const method::MaskedView& templ,
              const method::MaskedView& scene2, const method::MaskedView& templ2);
    /// The list of peaks must have the corners `corners` in this order, with these scores to 1e-12.
    void peaks(const method::MaskedView& scene, const method::MaskedView& templ,
               const match::PeakOptions& options, const std::vector<base::Index>& corners,
               double score);
    /// As judge(), for Asked::operation, which is not lcc.
    void judgeOperation(const method::MaskedView& scene, const method::MaskedView& templ,
                        const Asked& asked);
    /// No method may be able to prepare `templ` for `scene`.
    void refused(const method::MaskedView& scene, const method::MaskedView& templ);

  private:
    using Visit = std::function<Finding(const Way&)>;
    void forEachWay(const std::vector<Way>& ways, const Visit& visit);
    void add(const std::string& set, const Way& way, const Finding& finding, double ms);

    std::string m_name;
    std::vector<std::string> m_sets;
    Judge& m_judge;
    std::stop_token m_stop;
    std::vector<Row>& m_rows;
};

/// One entry of the list of cases.
struct Case {
    const char* name;
    const char* about;
    void (*run)(CaseRun&);
};
[[nodiscard]] const std::vector<Case>& cases();

} // namespace flcc::selftest
