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

/// One case under way: what its problems come to, row by row. Once stopped it does nothing more.
class CaseRun {
  public:
    CaseRun(std::string name, const Options& options, Judge& judge, std::stop_token stop,
            std::vector<Row>& rows);

    /// Every way of `templ` in `scene` on every instruction set, all voxels.
    void judge(const method::MaskedView& scene, const method::MaskedView& templ,
               const base::Extents& tile = {0, 0, 0});
    /// The same where panels are too large for all: `places` and `count` seeded ones.
    void judgeSome(const method::MaskedView& scene, const method::MaskedView& templ,
                   const std::vector<base::Index>& places, int count);
    /// Both problems must give the same map to the bit.
    void same(const method::MaskedView& scene, const method::MaskedView& templ,
              const method::MaskedView& scene2, const method::MaskedView& templ2);
    /// The list of peaks must be that of `corners`, in this order, with these scores to 1e-12.
    void peaks(const method::MaskedView& scene, const method::MaskedView& templ,
               const match::PeakOptions& options, const std::vector<base::Index>& corners,
               double score);
    /// No method may prepare `templ` for `scene`.
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

/// One entry of the list.
struct Case {
    const char* name;
    const char* about;
    void (*run)(CaseRun&);
};
[[nodiscard]] const std::vector<Case>& cases();

} // namespace flcc::selftest
