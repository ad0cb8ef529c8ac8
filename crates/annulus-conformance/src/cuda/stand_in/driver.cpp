// In place of NVIDIA's driver: `libcuda` without a GPU.
#include "settings.cpp"
#include "device.cpp"
#include "memory.cpp"
#include "stream.cpp"
#include "module.cpp"
#include "block.cpp"
#include "races.cpp"
