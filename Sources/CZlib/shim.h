// zlib: deflate and CRC-32, for the blocks of dense series and archived recordings.
#pragma once
#include <zlib.h>
