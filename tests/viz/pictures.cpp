#include "tests/viz/pictures.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "engine/io/heatmap_file.h"

namespace flcc::test {
namespace {

template <class Do> void forEach(const base::Extents& extents, const Do& action) {
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            for (std::int64_t x = 0; x < extents.x; ++x) {
                action(base::Index{x, y, z});
            }
        }
    }
}

} // namespace

std::shared_ptr<const base::AnyImage> imageOf(const base::Extents& extents,
                                              const std::function<int(const base::Index&)>& value) {
    base::Image<std::uint8_t> image(extents);
    forEach(extents, [&](const base::Index& i) {
        image.view().at(i) = static_cast<std::uint8_t>(value(i));
    });
    return std::make_shared<const base::AnyImage>(std::move(image));
}

std::shared_ptr<method::MatchMap>
mapOf(const base::Extents& extents,
      const std::function<std::optional<double>(const base::Index&)>& score) {
    auto map = std::make_shared<method::MatchMap>(extents);
    forEach(extents, [&](const base::Index& i) {
        const std::optional<double> value = score(i);
        map->value.view().at(i) = static_cast<float>(value.value_or(0));
        map->status.view().at(i) = value ? base::Status::Ok : base::Status::Flat;
    });
    return map;
}

int distance(const match::Colour& a, const match::Colour& b) {
    int largest = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        largest = std::max(largest, std::abs(int{a[i]} - int{b[i]}));
    }
    return largest;
}

Found find(const viz::Picture& picture, const match::Colour& colour, int tolerance) {
    Found found;
    found.left = picture.width;
    found.top = picture.height;
    for (int y = 0; y < picture.height; ++y) {
        for (int x = 0; x < picture.width; ++x) {
            if (distance(picture.at(x, y), colour) > tolerance) {
                continue;
            }
            ++found.count;
            found.x += x;
            found.y += y;
            found.left = std::min(found.left, x);
            found.right = std::max(found.right, x);
            found.top = std::min(found.top, y);
            found.bottom = std::max(found.bottom, y);
        }
    }
    if (found.count > 0) {
        found.x /= found.count;
        found.y /= found.count;
    }
    return found;
}

int differences(const viz::Picture& a, const viz::Picture& b, int tolerance) {
    int count = 0;
    for (int y = 0; y < a.height; ++y) {
        for (int x = 0; x < a.width; ++x) {
            count += distance(a.at(x, y), b.at(x, y)) > tolerance ? 1 : 0;
        }
    }
    return count;
}

void keep(const viz::Picture& picture, const std::string& name) {
    if (const char* folder = std::getenv("FLCC_TEST_PICTURES")) {
        io::writePicture(std::filesystem::path(folder) / (name + ".png"),
                         {picture.rgba.data(), picture.width, picture.height});
    }
}

} // namespace flcc::test
