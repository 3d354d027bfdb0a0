#include "engine/filter/problem.h"

namespace flcc::filter {

std::string_view name(Border border) {
    switch (border) {
    case Border::Zero:
        return "zero";
    case Border::Replicate:
        return "replicate";
    case Border::Mirror:
        return "mirror";
    case Border::Wrap:
        return "wrap";
    }
    return "";
}

} // namespace flcc::filter
