// OpenSSL's libcrypto: AES-CCM behind the EVP interface, for encrypted advertisements.
#pragma once
#include <openssl/evp.h>
