// OpenSSL's libcrypto: AES-CCM behind the EVP interface, for encrypted advertisements; SHA-256;
// HMAC, scrypt and a comparison in constant time, for passcodes, tokens and sessions.
#pragma once
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
