extern "C" int flccTestGone();
extern "C" int flccCudaPlugin();
extern "C" int flccCudaPlugin() { return flccTestGone(); }
