#include "engine/sample/detail/recipe.h"

namespace flcc::sample::detail {

namespace {

base::Geometry geometryOf(const base::Point& spacing, std::string_view unit) {
    base::Geometry geometry;
    geometry.spacing = spacing;
    geometry.unit = unit;
    geometry.unitSource = base::UnitSource::Header;
    return geometry;
}

// A cell: body with a bright rim, a nucleus off its centre, a vacuole, a bud. No mirror image of it
// is the same, so a flipped axis shows.
Recipe cells() {
    return {.name = "cells",
            .title = "40 copies of one cell under uneven light, as much noise as signal",
            .pixel = base::PixelType::UInt16,
            .extents = {1024, 1024, 1},
            .templ = {31, 31, 1},
            .geometry = geometryOf({0.65, 0.65, 1}, "um"),
            .shape = {{{-1.5, 1, 0}, 11.5, 0.75},
                      {{-1.5, 1, 0}, 8.5, -0.4},
                      {{1.5, -1.5, 0}, 4.2, 0.9},
                      {{-5.5, 3.5, 0}, 2.4, -0.35},
                      {{9, -8.5, 0}, 4.2, 0.7}},
            .edge = 1.6,
            .copies = 40,
            .distance = 62,
            .amplitude = 5000,
            .noiseVariance = 1,
            .backgroundLow = 9000,
            .backgroundHigh = 27000,
            .vignette = 0.45,
            .seed = 0x63656c6c73};
}

// A complex of five domains without any symmetry.
Recipe tomogram() {
    return {.name = "tomogram",
            .title = "30 copies of one complex in a volume, four times as much noise as signal",
            .pixel = base::PixelType::Float32,
            .extents = {192, 192, 96},
            .templ = {17, 17, 17},
            .geometry = geometryOf({10, 10, 10}, "A"),
            .shape = {{{-2, -1, 0}, 3.6, 1},
                      {{3, -3, 1}, 2.7, 1.1},
                      {{-1.5, 4, -2}, 2.4, 1.2},
                      {{-3, 1, 5}, 2.0, 1.2},
                      {{2.5, 1.5, -5}, 1.8, 1.3}},
            .edge = 1.2,
            .copies = 30,
            .distance = 32,
            .amplitude = 1,
            .noiseVariance = 4,
            .backgroundLow = -0.5,
            .backgroundHigh = 0.5,
            .vignette = 0,
            .seed = 0x746f6d6f};
}

Recipe tiny() {
    return {.name = "tiny",
            .title = "5 copies of one spot pair in a small 8-bit picture",
            .pixel = base::PixelType::UInt8,
            .extents = {96, 64, 1},
            .templ = {11, 9, 1},
            .geometry = geometryOf({1, 1, 1}, "um"),
            .shape = {{{-1.5, -0.5, 0}, 3, 1}, {{2.8, 1.5, 0}, 1.8, 0.8}},
            .edge = 1.2,
            .copies = 5,
            .distance = 18,
            .amplitude = 70,
            .noiseVariance = 0.1,
            .backgroundLow = 40,
            .backgroundHigh = 80,
            .vignette = 0,
            .seed = 0x74696e79};
}

// The cell of `cells` in all directions and of two sizes and what lies between.
Recipe turnedCells() {
    Recipe recipe = cells();
    recipe.name = "turned-cells";
    recipe.title = "24 copies of one cell, each turned and scaled";
    recipe.rotations = "10";
    recipe.scales = "0.9,1,1.1";
    recipe.extents = {640, 640, 1};
    recipe.copies = 24;
    recipe.distance = 80;
    recipe.noiseVariance = 0.5;
    recipe.seed = 0x7475726e;
    recipe.turned = true;
    recipe.smallest = 0.88;
    recipe.largest = 1.12;
    return recipe;
}

// The complex of `tomogram`, turned in space.
Recipe turnedComplexes() {
    Recipe recipe = tomogram();
    recipe.name = "turned-complexes";
    recipe.title = "6 copies of one complex in a volume, each turned";
    recipe.rotations = "20";
    recipe.mask = "sphere:8";
    recipe.extents = {96, 96, 72};
    recipe.copies = 6;
    recipe.distance = 30;
    recipe.noiseVariance = 1;
    recipe.seed = 0x7370696e;
    recipe.turned = true;
    return recipe;
}

} // namespace

const std::vector<Recipe>& recipes() {
    static const std::vector<Recipe> kRecipes{cells(), tomogram(), tiny(), turnedCells(),
                                              turnedComplexes()};
    return kRecipes;
}

} // namespace flcc::sample::detail
