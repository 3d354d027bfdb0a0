#include "engine/cuda/plugin/plugin.h"

// A plug-in built from other headers that hands over its table whatever it is asked for.
extern "C" const flcc::cuda::PluginTable* flccCudaPlugin(std::uint64_t);
extern "C" const flcc::cuda::PluginTable* flccCudaPlugin(std::uint64_t) {
    static flcc::cuda::PluginTable table;
    table.layout = flcc::cuda::kPluginLayout + 1;
    return &table;
}
