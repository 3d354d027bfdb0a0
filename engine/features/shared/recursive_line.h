#pragma once

#include "engine/base/host_device.h"

/// Arithmetic of the recursive line filters, for one value or for a vector of neighbouring lines.
/// Plain functions that compile for CPU and GPU; `V` is double or a vector of doubles.
namespace flcc::features::shared {

/// One second-order section, applied to the voxels before (or after) the current one:
///     y(n) = c1 x(n-1) + c2 x(n-2) - a1 y(n-1) - a2 y(n-2)
struct LineSection {
    double c1 = 0;
    double c2 = 0;
    double a1 = 0;
    double a2 = 0;
    double rest = 0; ///< response to a line of ones, for the replicated border
};

/// A symmetric line filter: `centre` times the voxel itself, plus the same two sections over the
/// voxels on either side of it. Both sides use the same coefficients, so that a mirrored line gives
/// the mirrored result to the bit.
struct LineFilter {
    double centre = 0;
    LineSection first;
    LineSection second;
};

/// The past of one section.
template <class V> struct SectionState {
    V y1;
    V y2;
};

/// The past of one side of the line.
template <class V> struct LineSide {
    V x1;
    V x2;
    SectionState<V> first;
    SectionState<V> second;
};

/// The state at the end of a line whose border repeats the value `edge`.
template <class V> FLCC_HOST_DEVICE inline LineSide<V> atEdge(const LineFilter& filter, V edge) {
    const V first = edge * filter.first.rest;
    const V second = edge * filter.second.rest;
    return {edge, edge, {first, first}, {second, second}};
}

/// The next output of a section.
template <class V>
FLCC_HOST_DEVICE inline V advance(const LineSection& section, V x1, V x2, SectionState<V>& state) {
    const V y = section.c1 * x1 + section.c2 * x2 - section.a2 * state.y2 - section.a1 * state.y1;
    state.y2 = state.y1;
    state.y1 = y;
    return y;
}

/// The part of the output at voxel x that the voxels before it give; then x joins the past.
template <class V>
FLCC_HOST_DEVICE inline V advance(const LineFilter& filter, LineSide<V>& side, V x) {
    const V first = advance(filter.first, side.x1, side.x2, side.first);
    const V second = advance(filter.second, side.x1, side.x2, side.second);
    side.x2 = side.x1;
    side.x1 = x;
    return first + second;
}

/// The sum of two second derivatives.
template <class V> FLCC_HOST_DEVICE inline V laplacian(V a, V b) { return a + b; }

/// The sum of three second derivatives, the same bits in any order of the axes: the largest and the
/// smallest are added first.
template <class V> FLCC_HOST_DEVICE inline V laplacian(V a, V b, V c) {
    const V low = a < b ? a : b;
    const V high = a < b ? b : a;
    const V top = high < c ? c : high;
    const V rest = high < c ? high : c;
    const V least = low < rest ? low : rest;
    const V middle = low < rest ? rest : low;
    return (top + least) + middle;
}

} // namespace flcc::features::shared
