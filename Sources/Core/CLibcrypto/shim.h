// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#ifndef STORAGE_AUTH_CLIBCRYPTO_SHIM_H
#define STORAGE_AUTH_CLIBCRYPTO_SHIM_H

// The low-level digest functions are deprecated since OpenSSL 3.0 in favor of EVP. They are used on purpose: their state
// is a plain value, so a keyed HMAC state is computed once and copied without an allocation.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/md5.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/pemerr.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>

// Returns whether an error reports an unsupported cipher or key derivation function. The reason codes are macros with
// expressions that Swift does not import.
static inline int storage_auth_error_is_unsupported_cipher(unsigned long error) {
  int library = ERR_GET_LIB(error);
  int reason = ERR_GET_REASON(error);
  return (library == ERR_LIB_EVP && reason == ERR_R_UNSUPPORTED) ||
         (library == ERR_LIB_PEM && (reason == PEM_R_UNSUPPORTED_CIPHER || reason == PEM_R_UNSUPPORTED_ENCRYPTION));
}

#endif
