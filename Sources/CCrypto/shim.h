// OpenSSL's libcrypto: AES-CCM behind the EVP interface, for encrypted advertisements; SHA-256.
#pragma once
#include <openssl/evp.h>
#include <openssl/sha.h>
