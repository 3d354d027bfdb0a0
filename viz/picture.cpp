#include "viz/picture.h"

#include <algorithm>

#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPNGWriter.h>

#include "engine/base/error.h"
#include "engine/io/atomic_file.h"

namespace flcc::viz {

void writePng(const Picture& picture, const std::filesystem::path& path) {
    if (picture.width < 1 || picture.height < 1) {
        throw base::Error(base::ErrorCode::Output,
                          "there is no picture to write to \"" + path.string() + "\"");
    }
    const vtkNew<vtkImageData> image;
    image->SetDimensions(picture.width, picture.height, 1);
    image->AllocateScalars(VTK_UNSIGNED_CHAR, 4);
    auto* rows = static_cast<std::uint8_t*>(image->GetScalarPointer());
    const std::size_t rowBytes = static_cast<std::size_t>(picture.width) * 4;
    for (int y = 0; y < picture.height; ++y) {
        // VTK's row 0 is the lowest.
        std::copy_n(picture.rgba.data() + static_cast<std::size_t>(y) * rowBytes, rowBytes,
                    rows + static_cast<std::size_t>(picture.height - 1 - y) * rowBytes);
    }
    io::AtomicFile file(path);
    const vtkNew<vtkPNGWriter> writer;
    writer->SetFileName(file.temporary().c_str());
    writer->SetInputData(image);
    writer->Write();
    if (writer->GetErrorCode() != 0) {
        throw base::Error(base::ErrorCode::Output, "cannot write the picture \"" + path.string() +
                                                       "\"; is the folder writable?");
    }
    file.commit();
}

} // namespace flcc::viz
