#include "engine/cuda/plugin.h"

// A plug-in of a later version that hands over its table whatever it is asked for.
extern "C" const flcc::cuda::PluginTable* flccCudaPlugin(std::uint32_t);
extern "C" const flcc::cuda::PluginTable* flccCudaPlugin(std::uint32_t) {
    static flcc::cuda::PluginTable table;
    table.version = flcc::cuda::kPluginVersion + 1;
    return &table;
}
