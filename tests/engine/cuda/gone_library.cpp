extern "C" int flccTestGone();
extern "C" int flccTestGone() { return 1; }
