#include "engine/io/reader_program.h"

int main(int argc, char** argv) { return flcc::io::runReader(argc, argv); }
