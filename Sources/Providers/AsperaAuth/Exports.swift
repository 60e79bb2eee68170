// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

@_exported public import StorageAuth

#if !canImport(CLibcrypto) && !canImport(CryptoExtras)
  #error("Private keys need swift-crypto on this system: switch on the trait PrivateKeys of swift-storage-auth.")
#endif
