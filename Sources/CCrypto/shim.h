// OpenSSL's libcrypto: AES-CCM and AES-CTR behind the EVP interface, for encrypted frames; SHA-256;
// HMAC, scrypt and a comparison in constant time, for passcodes, tokens and sessions; signatures by
// Ed25519 and P-384, for boxes and the servers of clinics.
#pragma once
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
