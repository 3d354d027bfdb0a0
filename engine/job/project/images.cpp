#include "engine/job/project/images.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <variant>

#include "engine/base/base64.h"
#include "engine/job/made_of.h"
#include "engine/job/project/report_fields.h"

namespace flcc::job::detail::project {

FLCC_FIELDS(MadeOf, scene, sceneSha256, averageSha256, centres)

namespace {

std::string_view bytesOf(const base::AnyImage& pixels) {
    return std::visit(
        [](const auto& image) {
            return std::string_view(reinterpret_cast<const char*>(image.data()),
                                    static_cast<std::size_t>(image.count()) *
                                        sizeof(*image.data()));
        },
        pixels);
}

/// Voxels as numpy reads them: numpy.frombuffer(base64, type).reshape(z, y, x), little-endian.
Json voxelsJson(const base::AnyImage& pixels) {
    base::Extents extents = base::extentsOf(pixels);
    Json json = Json::object();
    json["type"] = written(base::pixelType(pixels));
    json["extents"] = written(extents);
    json["base64"] = base::toBase64(bytesOf(pixels));
    return json;
}

base::AnyImage voxelsOf(const Json& json) {
    base::PixelType type{};
    base::Extents extents;
    std::string text;
    Reader reader(json);
    reader("type", type);
    reader("extents", extents);
    if (const auto found = json.find("base64"); found != json.end()) {
        text = found->get<std::string>();
    }
    const std::optional<std::string> decoded = base::fromBase64(text);
    if (!decoded) {
        refuse("voxels are no base64");
    }
    const std::string& bytes = *decoded;
    if (base::byteCount(extents, base::bytesPerVoxel(type)) != std::ssize(bytes)) {
        refuse("an image has another number of voxels than its extents say");
    }
    base::AnyImage made = base::makeImage(type, extents);
    std::visit([&](auto& image) { std::memcpy(image.data(), bytes.data(), bytes.size()); }, made);
    return made;
}

std::uintptr_t placeOf(const void* image) { return reinterpret_cast<std::uintptr_t>(image); }

/// A number above all earlier ones would be a circle.
template <class T>
std::shared_ptr<const T> at(const std::vector<std::shared_ptr<const T>>& all, int number) {
    if (number < -1 || number >= static_cast<int>(all.size())) {
        refuse("image " + std::to_string(number) + " is not in the project");
    }
    return number < 0 ? nullptr : all[static_cast<std::size_t>(number)];
}

/// What an image has beside voxels and other images.
template <class Archive> void facts(Archive& archive, SceneImage& self) {
    FLCC_EACH(FLCC_FIELD, geometry, source, note, sha256, dataFile, series, reading, resolution,
              reference, directed, channels)
}

template <class Archive> void facts(Archive& archive, MaskImage& self) {
    FLCC_EACH(FLCC_FIELD, source, note, counts, warning, geometry, directed, sha256, dataFile,
              series)
}

template <class T> Json factsJson(const T& value) {
    Writer writer;
    facts(writer, const_cast<T&>(value)); // a Writer changes nothing
    return std::move(writer.json);
}

} // namespace

int ImageWriter::add(const std::shared_ptr<const MaskImage>& mask) {
    if (!mask) {
        return -1;
    }
    if (const auto found = std::ranges::find(m_masks, mask); found != m_masks.end()) {
        return static_cast<int>(found - m_masks.begin());
    }
    Json json = factsJson(*mask);
    const base::Extents& extents = mask->support.extents();
    const auto copied = [&](const auto& image) {
        return voxelsJson(base::copyOf(base::AnyView(image.view())));
    };
    if (m_voxels) {
        json["support"] = copied(mask->support);
        if (mask->weights.extents() == extents && !mask->weights.empty()) {
            json["weights"] = copied(mask->weights);
        }
    } else {
        json["at"] = placeOf(mask.get());
    }
    m_masks.push_back(mask);
    m_maskTexts.push_back(std::move(json));
    return static_cast<int>(m_masks.size()) - 1;
}

int ImageWriter::add(const std::shared_ptr<const SceneImage>& image, std::int64_t most) {
    if (!image) {
        return -1;
    }
    if (const auto found = std::ranges::find(m_images, image); found != m_images.end()) {
        return static_cast<int>(found - m_images.begin());
    }
    Json json = factsJson(*image);
    json["opacity"] = add(image->opacity);
    json["inside"] = add(image->inside);
    json["finer"] = add(image->finer); // stands before it in the list
    if (image->madeOf) {
        json["madeOf"] = written(*image->madeOf);
    }
    if (!m_voxels) {
        json["at"] = placeOf(image.get());
    } else if (std::ssize(bytesOf(image->pixels)) <= most) {
        json["voxels"] = voxelsJson(image->pixels);
    }
    m_images.push_back(image);
    m_imageTexts.push_back(std::move(json));
    return static_cast<int>(m_images.size()) - 1;
}

Json ImageWriter::json() const { return {{"masks", m_maskTexts}, {"images", m_imageTexts}}; }

ImageReader::ImageReader(const Json& json) {
    const Reader lists(json);
    for (const Json& each : lists.list("masks")) {
        auto mask = std::make_shared<MaskImage>();
        Reader reader(each);
        facts(reader, *mask);
        base::AnyImage support = voxelsOf(each.at("support"));
        auto* bytes = std::get_if<base::Image<std::uint8_t>>(&support);
        if (bytes == nullptr) {
            refuse("a mask is of another type than uint8");
        }
        mask->support = std::move(*bytes);
        if (each.contains("weights")) {
            base::AnyImage weights = voxelsOf(each["weights"]);
            auto* doubles = std::get_if<base::Image<double>>(&weights);
            if (doubles == nullptr || doubles->extents() != mask->support.extents()) {
                refuse("the weights of a mask are of another type or size");
            }
            mask->weights = std::move(*doubles);
        }
        m_masks.push_back(std::move(mask));
    }
    for (const Json& each : lists.list("images")) {
        auto image = std::make_shared<SceneImage>();
        Reader reader(each);
        facts(reader, *image);
        int opacity = -1;
        int inside = -1;
        int finer = -1;
        reader("opacity", opacity);
        reader("inside", inside);
        reader("finer", finer);
        image->opacity = mask(opacity);
        image->inside = mask(inside);
        image->finer = this->image(finer); // an earlier one, so that there is no circle
        if (each.contains("madeOf")) {
            auto made = std::make_shared<MadeOf>();
            read(each["madeOf"], *made);
            image->madeOf = std::move(made);
        }
        if (each.contains("voxels")) {
            image->pixels = voxelsOf(each["voxels"]);
        }
        m_images.push_back(std::move(image));
    }
}

std::shared_ptr<const SceneImage> ImageReader::image(int number) const {
    return at(m_images, number);
}

std::shared_ptr<const MaskImage> ImageReader::mask(int number) const { return at(m_masks, number); }

} // namespace flcc::job::detail::project
