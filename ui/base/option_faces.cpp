#include "ui/base/option_faces.h"

#include <QCoreApplication>

#include <algorithm>

#include "engine/method/problem.h"
#include "ui/base/text.h"

namespace flcc::ui {

namespace {

/// Marks a text for translation, as QT_TR_NOOP does.
constexpr const char* face(const char* text) { return text; }

} // namespace

const std::vector<OptionFace>& optionFaces() {
    static const std::vector<OptionFace> kFaces{
        {"operation", face("Operation")},
        {"template", face("Template")},
        {"crop", face("Cut template")},
        {"scene", face("Add scenes")},
        {"mask", face("Mask")},
        {"scene-mask", face("Scene mask")},
        {"orientation", face("Turn pictures as their files say"), "", {{"stored", face("off")}}},
        {"image", face("Image")},
        {"part", face("Part of the file")},
        {"spacing", face("Set spacing"), "", {{"resolution", face("Resolution of the file")}}},
        {"resample", face("Resample the template")},
        {"ignore-directions", face("Keep its axes as stored")},
        {"invert", face("Invert the contrast")},
        {"region", face("Region")},
        {"stream", face("Slices as a stream")},
        // Placements and edges.
        {"extent",
         face("Placements"),
         face("Placements of the template that get a score: valid, same, full. Placements that "
              "leave the scene are marked PARTIAL"),
         {{"valid", face("Inside the scene")},
          {"same", face("Middle in the scene")},
          {"full", face("All that touch it")}}},
        {"outside",
         face("Outside"),
         face("Value of voxels outside the scene or its mask. Zero: 0. Eibl: the panel's mean in "
              "the numerator and 0 in the denominator. Overlap only: no value, only the overlap is "
              "scored"),
         {{"zero", face("Zero")}, {"eibl", face("Eibl")}, {"overlap", face("Overlap only")}}},
        {.option = "min-overlap",
         .label = face("Least overlap"),
         .tip = face("With Overlap only: a placement with a smaller share of its voxels inside "
                     "gets no score"),
         .decimals = 3,
         .step = 0.05},
        {"partial-peaks", face("PARTIAL peaks too"),
         face("Placements that leave the scene or its mask can be peaks, too")},
        {"list-others", face("Other things too"),
         face(
             "With orientations in volumes and an automatic threshold: also lists places where "
             "other orientations of the template score almost as much as the best one, as at other "
             "particles")},
        // The list of peaks.
        {"max-peaks", face("Most peaks"), face("Largest number of peaks in the list")},
        {"min-score", face("Threshold")},
        {"max-score", face("Threshold")},
        {"false-positives", face("False positives")},
        {"zscore", face("Deviations")},
        {"null",
         face("Null template"),
         face("The next run also searches the same scene for the mirrored template, for one with "
              "the same spectrum and random phases, or for a sphere of its size, and counts its "
              "peaks where the template scores less. None: the law of the scores counts, which "
              "expects too few in structured scenes"),
         {{"none", face("None")},
          {"mirror", face("Mirrored")},
          {"phase", face("Phase-scrambled")},
          {"sphere", face("Sphere of its size")}}},
        {"min-distance", face("Distance")},
        {.option = "max-overlap",
         .label = face("Largest overlap"),
         .tip = face("Largest share of the smaller template, turned as it lies, that a peak may "
                     "have in common with a better one; with a mask, voxels under it count. 1: "
                     "any. auto (below 0): 0.3 with rotations, scales or hands, else any"),
         .nothing = face("auto"),
         .decimals = 2,
         .step = 0.05},
        // Computation, method, exactness.
        {"device",
         face("Device"),
         face("Where the run computes; devices that cannot be used say why"),
         {{"auto", face("Auto")}, {"cpu", "CPU"}, {"cuda", "CUDA"}}},
        {.option = "threads",
         .label = face("Threads"),
         .tip = face("Threads of the run, at most those of the machine; 0 is all"),
         .nothing = face("all")},
        {.option = "memory",
         .label = face("Memory limit"),
         .tip = face("Memory the run may take beyond the scene, such as 4 GiB or 500 MB; empty: "
                     "what the machine has free"),
         .nothing = face("what is free")},
        {"planning",
         face("Planning"),
         face("Measure times the plausible candidates on a sample of the scene"),
         {{"measure", face("Measure on a sample")},
          {"estimate", face("Estimate")},
          {"exhaustive", face("Time everything")}}},
        {"method",
         face("Method"),
         face("Auto takes the candidate with the shortest predicted time"),
         {{"auto", face("Auto")}}},
        {.option = "tile",
         .label = face("Tile"),
         .tip = face("Transform lengths or block size as W,H or W,H,D; empty: the planner's "
                     "choice"),
         .nothing = face("auto")},
        {"transforms",
         face("Transforms"),
         face("Fourier transforms on the processor. Auto: the faster kind. Own: of this program, "
              "for lengths that are products of 2, 3, 5 and 7. FFTW: for any length"),
         {{"auto", face("Auto")}, {"own", face("Own")}, {"fftw", "FFTW"}}},
        {"plan", face("Replay")},
        {"time-again", face("Time again")},
        {"precision",
         face("Precision"),
         face("Floating-point precision of the scores. With Double the map is written as float64"),
         {{"single", face("Single")}, {"double", face("Double")}}},
        {.option = "promise",
         .label = face("Promise"),
         .tip = face("Largest empirical error bound of a score that is not marked LOWCONF, such "
                     "as 1e-4"),
         .nothing = "0.0001",
         .decimals = -1},
        {"recompute", face("Recompute in double"),
         face("On: scores whose empirical bound breaks the promise are recomputed in double. Off: "
              "they are marked LOWCONF, pink in the heatmap")},
        {"audit",
         face("Self-audit"),
         face("After the run, recomputes the peaks and a sample of scores by the definition and "
              "compares them. Auto: only if this takes less than 2 % of the run"),
         {{"auto", face("Auto")}, {"on", face("On")}, {"off", face("Off")}}},
        {"statistics",
         face("Sums"),
         face("How the sums of the scene under the template are computed. Window sums: only for "
              "templates without a mask. Correlations: with the template's support, as in the "
              "papers"),
         {{"auto", face("Auto")},
          {"box", face("Window sums")},
          {method::name(method::WindowStatistics::Fourier), face("Correlations")}}},
        // Poses and noise.
        {.option = "rotations",
         .label = face("Rotations"),
         .tip = face("Also searches turned templates. A step in degrees: the whole circle, or all "
                     "orientations of a volume; FROM:TO:STEP: a part of the circle; auto:DIAMETER: "
                     "the step that an object of this diameter needs at the resolution of the "
                     "scene; list:FILE: the angles of a file. Counter-clockwise. Empty: templates "
                     "as they are"),
         .nothing = face("none; 10 or 0:180:10")},
        {.option = "symmetry",
         .label = face("Symmetry"),
         .tip = face("Point group of the templates on the axes of RELION: of rotations that give "
                     "the same template one is searched"),
         .nothing = face("C1; C4, D2, T, O, I")},
        {.option = "scales",
         .label = face("Scales"),
         .tip = face("Also searches templates of other sizes: factors, or FROM:TO:FACTOR"),
         .nothing = face("1; 0.9,1,1.1 or 0.8:1.25:1.05")},
        {"mirror", face("Mirrored templates too"),
         face("Also searches the templates mirrored along x: the other hand")},
        {"refine", face("Refine poses of peaks"),
         face("Also finds the best angle, size and place of each peak between those that are "
              "searched")},
        {.option = "resume",
         .label = face("Progress"),
         .tip = face("A folder that keeps the finished part of a search: Pause stops it, and Run "
                     "goes on from there, also after a restart of the program. Empty: nothing is "
                     "kept"),
         .nothing = face("nothing is kept")},
        {"handedness", face("Compare with the other hand"),
         face("Of lcc: a second search, for the mirrored templates alone, tells which hand the "
              "scene holds; the curves of both are in the tab of the threshold")},
        {"search-statistics", face("Statistics of the search")},
        {"search",
         face("Search"),
         face("Exhaustive: scores every placement. Pruned: leaves out what cannot reach the least "
              "score, with the same peaks and no map. Heuristic: faster, may miss peaks. Auto: the "
              "faster of the first two, where the job allows both"),
         {{"exhaustive", face("Exhaustive")},
          {"pruned", face("Pruned")},
          {"heuristic", face("Heuristic")},
          {"auto", face("Auto")}}},
        {"yes", face("More than 10000 orientations"),
         face("Allows a search that may take hours; the plan tells its time")},
        {.option = "band",
         .label = face("Band"),
         .tip = face("Leaves only wavelengths between two lengths, of templates and scene: the "
                     "shortest and the longest, in voxels or with a unit. 0 leaves a side open"),
         .nothing = face("none; 3,40 or 30,400A")},
        {"whiten", face("Whiten by the scene"),
         face("Divides templates and scene by the mean amplitudes of the scene at each frequency, "
              "so that coloured noise becomes white")},
        {.option = "wedge",
         .label = face("Wedge"),
         .tip = face("Takes from the templates what the tilts of a tomogram do not tell: A,B for "
                     "tilts from -A to B degrees about y, or a file with the tilts: .tlt, .rawtlt, "
                     ".mdoc, .star of RELION 5, .xml of Warp"),
         .nothing = face("none; 60,60 or a file")},
        {.option = "ctf",
         .label = face("CTF"),
         .tip = face("Gives the templates the contrast transfer of the microscope: .star of RELION "
                     "5, .xml of Warp, .defocus of IMOD, or defocus in um, voltage in kV, Cs in mm "
                     "and amplitude contrast. flipped: before it for a scene whose phases are "
                     "flipped"),
         .nothing = face("none; 3,300,2.7,0.07 or a file")},
        {"polarity",
         face("Polarity"),
         face("The sign of what is found: that of the templates, the other one, or the better of "
              "both, which takes twice the time"),
         {{"bright", face("As the template")},
          {"dark", face("Other sign")},
          {"both", face("Both signs")}}},
        // Facts of particle lists.
        {"binning", face("Binning")},
        {"unbinned-pixel", face("Pixel of the tilt series (Å)")},
        {"unbinned-size", face("Unbinned size")},
        {"binned-by", face("Binned by")},
        {"tomogram", face("Tomogram")},
        // Convolution.
        {.option = "border",
         .label = face("Border"),
         .tip = face("Values beyond the scene"),
         .words = {{"zero", face("Zero:  0 0 | a b")},
                   {"replicate", face("Replicate:  a a | a b")},
                   {"mirror", face("Mirror:  b a | a b")},
                   {"wrap", face("Wrap:  … z | a b")}},
         .command = "convolve"},
        {.option = "extent",
         .label = face("Extent"),
         .tip = face("Same: the voxels of the scene. Valid: those whose kernel lies inside it. "
                     "Full: all that the kernel reaches"),
         .command = "convolve"},
        {.option = "method",
         .label = face("Method"),
         .tip = face("Auto: the plan chooses. Recursive approximates Gaussians"),
         .words = {{"auto", face("Auto")}},
         .command = "convolve"},
        {.option = "parts",
         .label = face("Parts"),
         .tip = face("Parts into which the transform is divided: more of them take less memory and "
                     "more time. Auto: the plan chooses"),
         .nothing = face("Auto"),
         .command = "convolve"},
        {.option = "transforms",
         .label = face("Transforms"),
         .tip = face("Fourier transforms: the faster kind, of this program, or of FFTW"),
         .words = {{"auto", face("Auto")}, {"own", face("Own")}, {"fftw", "FFTW"}},
         .command = "convolve"},
        {.option = "precision",
         .label = face("Precision"),
         .tip = face("Double: the result is float64 instead of float32"),
         .words = {{"single", face("Single")}, {"double", face("Double")}},
         .command = "convolve"},
        // Blobs.
        {.option = "levels",
         .label = face("Levels"),
         .tip = face("Levels of values that are compared; fewer are faster"),
         .command = "features"},
        {.option = "channels",
         .label = face("Channels"),
         .tip = face("Grey values, or three planes of colour (Ohta). Automatic: planes if the "
                     "scene's file has colour"),
         .words = {{"auto", face("Automatic")}, {"grey", face("Grey")}, {"ohta", face("Colour")}},
         .command = "features"},
        {.option = "memory",
         .label = face("Memory limit"),
         .tip = face("Memory that finding blobs may take beyond the scene, such as 4 GiB or 500 "
                     "MB; empty: what the machine has free"),
         .nothing = face("what is free"),
         .command = "features"},
    };
    return kFaces;
}

const OptionFace* faceOf(std::string_view option, std::string_view command) {
    const std::vector<OptionFace>& faces = optionFaces();
    const auto find = [&](std::string_view of) {
        return std::ranges::find_if(faces, [&](const OptionFace& face) {
            return face.option == option && face.command == of;
        });
    };
    const auto own = find(command);
    const auto found = own != faces.end() ? own : find("match");
    return found == faces.end() ? nullptr : &*found;
}

QString faceText(const char* text) {
    return QCoreApplication::translate("flcc::ui::OptionFaces", text);
}

QString wordText(const OptionFace& face, std::string_view word) {
    const auto found = std::ranges::find(face.words, word, &OptionFace::Word::word);
    if (found != face.words.end()) {
        return faceText(found->label);
    }
    QString text = toQString(word);
    text.replace(0, 1, text.left(1).toUpper());
    return text;
}

} // namespace flcc::ui
