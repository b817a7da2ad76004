// libqrencode: QR codes of ISO/IEC 18004.
#pragma once
#include <qrencode.h>
