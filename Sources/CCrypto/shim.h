// OpenSSL's libcrypto: AES-CCM and AES-CTR behind the EVP interface, for encrypted frames; SHA-256;
// HMAC, scrypt and a comparison in constant time, for passcodes, tokens and sessions.
#pragma once
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
