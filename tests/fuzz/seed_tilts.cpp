// What files say of tilt series, behind the byte that tests/fuzz/read_tilts.cpp reads.

#include <string>

#include "tests/fuzz/seeds.h"

namespace flcc::fuzz {

void writeTilts(const std::filesystem::path& folder) {
    const auto write = [&](const char* name, char kind, const std::string& text) {
        test::writeFile(folder / name, std::string(1, kind) + text);
    };
    write("angles", 0, "-51.5\n0\n+51.5\n");
    write("doses", 0, "# angle dose\n-3 4.5\n0 0\n3 1e1\n");
    write("mdoc", 1,
          "PixelSpacing = 1.35\r\nVoltage = 300\r\n\r\n[T = SerialEM]\r\n\r\n[ZValue = 0]\r\n"
          "TiltAngle = 0.01\r\nExposureDose = 3.1\r\nDateTime = 05-Nov-15  15:21:38\r\n\r\n"
          "[ZValue = 1]\r\nTiltAngle = -3.0\r\nPriorRecordDose = 3.1\r\nExposureDose = 3.2\r\n"
          "DateTime = 05-Nov-15  15:24:02\r\n");
    write("defocus", 2, "1\t1\t-50.99\t-50.99\t3083\t2\n2\t2\t-47.99\t-45.99\t3084\n");
    write("defocus3", 2, "1 0 0. 0. 0 3\n1 1 -50 -50 3000 2900 20\n2 2 0 0 3100 3050 21 0.5\n");
    write("warp", 3,
          "<?xml version=\"1.0\"?><TiltSeries AreAnglesInverted=\"False\"><Angles>46\n0.5\n-44"
          "</Angles><Dose>6.5\n0\n3.25</Dose><UseTilt>True\nTrue\nFalse</UseTilt><CTF>"
          "<Param Name=\"Voltage\" Value=\"300\"/><Param Name=\"Cs\" Value=\"2.7\"/>"
          "<Param Name=\"Amplitude\" Value=\"0.07\"/><Param Name=\"PhaseShift\" Value=\"0.5\"/>"
          "<Param Name=\"Defocus\" Value=\"3.5\"/></CTF><GridCTF Width=\"1\" Height=\"1\" "
          "Depth=\"3\"><Node X=\"0\" Y=\"0\" Z=\"0\" Value=\"3\"/><Node X=\"0\" Y=\"0\" Z=\"1\" "
          "Value=\"2.75\"/><Node X=\"0\" Y=\"0\" Z=\"2\" Value=\"2\"/></GridCTF></TiltSeries>");
    const std::string series =
        "data_TS_10\nloop_\n_rlnTomoNominalStageTiltAngle #1\n_rlnMicrographPreExposure #2\n"
        "_rlnDefocusU #3\n_rlnDefocusV #4\n_rlnTomoYTilt #5\n_rlnPhaseShift #6\n"
        "-50.9 68.2 24013.2 22401.5 -49.9 0\n0.008 0 33063 32802 1.01 90\n";
    write("series", 4, series);
    const std::string list =
        "data_global\nloop_\n_rlnTomoName #1\n_rlnVoltage #2\n_rlnSphericalAberration #3\n"
        "_rlnAmplitudeContrast #4\n_rlnTomoTiltSeriesStarFile #5\n"
        "_rlnTomoReconstructedTomogram #6\n"
        "TS_1 200 2.7 0.08 TS_1.star rec_TS_1.mrc\nTS_10 300 2.7 0.1 TS_10.star rec_TS_10.mrc\n";
    write("tomograms", 9, list + std::string(1, '\0') + series);
    write("inside", 9, list + "\n" + series);
    write("micrographs", 14,
          "data_optics\nloop_\n_rlnOpticsGroup #1\n_rlnVoltage #2\n_rlnSphericalAberration #3\n"
          "1 200 1.4\n\ndata_micrographs\nloop_\n_rlnMicrographName #1\n_rlnDefocusU #2\n"
          "_rlnDefocusV #3\nM/a.mrc 10000 12000\nM/b.mrc 20000 22000\n");
}

} // namespace flcc::fuzz
