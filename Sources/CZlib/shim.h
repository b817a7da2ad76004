// zlib: deflate and CRC-32, for the blocks of dense series.
#pragma once
#include <zlib.h>
