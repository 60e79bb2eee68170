#ifndef STORAGE_AUTH_CLIBCRYPTO_SHIM_H
#define STORAGE_AUTH_CLIBCRYPTO_SHIM_H

// The streaming digest functions are deprecated since OpenSSL 3.0 in favour of EVP. They are used on purpose: their
// state is a plain value, so a keyed HMAC state is computed once and copied without an allocation.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/crypto.h>
#include <openssl/md5.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#endif
