#include <QtTest>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <vector>

#include "engine/base/allocation.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc::base;

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20U;

/// Buffers of so many MiB, freed in their order.
std::set<void*> freed(const std::vector<std::size_t>& sizes) {
    std::vector<void*> buffers;
    for (const std::size_t size : sizes) {
        buffers.push_back(allocateBuffer(size * kMiB));
    }
    for (void* const buffer : buffers) {
        releaseBuffer(buffer);
    }
    return {buffers.begin(), buffers.end()};
}

/// Resident bytes of the whole pages between two offsets of a buffer.
std::size_t residentIn(void* data, std::size_t from, std::size_t to) {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto start = reinterpret_cast<std::uintptr_t>(data);
    const std::uintptr_t first = (start + from + page - 1) / page * page;
    const std::uintptr_t end = (start + to) / page * page;
    std::vector<unsigned char> pages((end - first) / page);
    if (::mincore(reinterpret_cast<void*>(first), end - first, pages.data()) != 0) {
        return to;
    }
    return page * static_cast<std::size_t>(std::count_if(
                      pages.begin(), pages.end(), [](unsigned char one) { return one % 2 == 1; }));
}

} // namespace

class AllocationTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() { keepFreedBuffers(); }

    void buffersAreAligned() {
        for (const std::size_t bytes : {std::size_t{1}, std::size_t{100}, 3 * kMiB + 5}) {
            void* const data = allocateBuffer(bytes);
            QCOMPARE(reinterpret_cast<std::uintptr_t>(data) % kAlignment, std::uintptr_t{0});
            releaseBuffer(data);
        }
    }

    // The nearest of those that are large enough; and never one that is much larger.
    void aFreedBufferServesTheNextOneOfItsSize() {
        const std::set<void*> all = freed({40, 32, 30, 10});
        void* const near = allocateBuffer(31 * kMiB);
        void* const nearer = allocateBuffer(30 * kMiB);
        void* const last = allocateBuffer(33 * kMiB);
        QCOMPARE(all.count(near) + all.count(nearer) + all.count(last), std::size_t{3});
        QCOMPARE((std::set<void*>{near, nearer, last}).size(), std::size_t{3});
        void* const small = allocateBuffer(3 * kMiB);
        releaseBuffer(small);
        QCOMPARE(keptBytes() / kMiB, std::size_t{3});
        for (void* const data : {near, nearer, last}) {
            releaseBuffer(data);
        }
    }

    void aBufferThatIsMadeAgainAndAgainTakesNoMoreMemory() {
        if (flcc::test::kSanitized) {
            QSKIP("a sanitizer keeps freed memory aside");
        }
        // Too small for kept buffers. Something small lies behind each, as in a run.
        constexpr std::size_t kSmall = 700 * 1024;
        std::vector<std::unique_ptr<char[]>> between;
        std::set<void*> places;
        for (int i = 0; i < 50; ++i) {
            void* const data = allocateBuffer(kSmall);
            places.insert(data);
            between.push_back(std::make_unique<char[]>(200));
            releaseBuffer(data);
        }
        QVERIFY2(places.size() <= 3, qPrintable(QString::number(places.size())));
    }

    void whatAReusedBufferHasTooMuchIsGivenBack() {
        constexpr std::size_t kHad = 40 * kMiB;
        constexpr std::size_t kWanted = 33 * kMiB;
        void* const large = allocateBuffer(kHad);
        std::memset(large, 1, kHad);
        releaseBuffer(large);
        void* const reused = allocateBuffer(kWanted);
        QCOMPARE(reused, large);
        QVERIFY(residentIn(reused, 0, kWanted) >= kWanted - kMiB);
        QCOMPARE(residentIn(reused, kWanted, kHad), std::size_t{0});
        releaseBuffer(reused);
    }

    void theNewestOfAlikeOnesComesFirst() {
        void* const older = allocateBuffer(5 * kMiB);
        void* const newer = allocateBuffer(5 * kMiB);
        releaseBuffer(older);
        releaseBuffer(newer);
        void* const first = allocateBuffer(5 * kMiB);
        void* const second = allocateBuffer(5 * kMiB);
        QCOMPARE(first, newer);
        QCOMPARE(second, older);
        releaseBuffer(first);
        releaseBuffer(second);
    }

    // No more is held than there was: the oldest go, as many as the new one needs.
    void whatDoesNotFitMakesRoom() {
        (void)freed({255}); // takes the place of all there was
        (void)freed({10, 11, 40});
        const auto mebibytes = [] { return (keptBytes() + kMiB / 2) / kMiB; };
        QCOMPARE(mebibytes(), std::size_t{61});
        void* const large = allocateBuffer(20 * kMiB);
        QCOMPARE(mebibytes(), std::size_t{40});
        releaseBuffer(large);
        QCOMPARE(mebibytes(), std::size_t{60});
    }

    void noMoreIsKeptThanTheMost() {
        (void)freed({100, 100, 100});
        QCOMPARE((keptBytes() + kMiB / 2) / kMiB, std::size_t{200});
        (void)freed({300}); // which all of them make room for
        QCOMPARE(keptBytes(), std::size_t{0});
    }

    void theyCanBeDropped() {
        (void)freed({20, 30});
        QCOMPARE((keptBytes() + kMiB / 2) / kMiB, std::size_t{50});
        dropKeptBuffers();
        QCOMPARE(keptBytes(), std::size_t{0});
    }
};

const flcc::test::TestClass<AllocationTest> kAllocationTest;
#include "allocation_test.moc"
