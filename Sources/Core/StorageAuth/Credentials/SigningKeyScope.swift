// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// The scope of a signing key that is derived from a secret in steps, as signatures of the SigV4 family derive theirs.
///
/// The first key is a prefix followed by the secret. The HMAC-SHA256 of each part with the key before it is the next key.
///
/// ```swift
/// let scope = SigningKeyScope(prefix: "ACME4", [day, region, "storage", "acme4_request"])
/// let signature = key.authenticationCode(for: stringToSign, in: scope).hexadecimal
/// ```
public struct SigningKeyScope: Sendable, Hashable {
  /// The text before the secret in the first key.
  public let prefix: String

  /// The parts, of which each derives a key from the key before it.
  public let parts: [String]

  /// The parts as one string, in which no two lists of parts are equal.
  let joined: String

  /// Creates the scope of a derived signing key.
  ///
  /// - Parameters:
  ///   - prefix: The text before the secret in the first key.
  ///   - parts: The parts, such as the day, the region, the service and the end of the scope.
  public init(prefix: String, _ parts: [String]) {
    self.prefix = prefix
    self.parts = parts
    joined = parts.map { "\($0.utf8.count):\($0)" }.joined()
  }
}

extension AccessKey {
  /// Returns the HMAC-SHA256 of a string, computed with a key that is derived from the secret; for signers.
  ///
  /// The most recently derived keys are cached with the access key, so that a key is derived once for each scope.
  ///
  /// - Parameters:
  ///   - text: The string whose UTF-8 bytes are authenticated, such as a string to sign.
  ///   - scope: The scope of the signing key.
  public func authenticationCode(for text: String, in scope: SigningKeyScope) -> AuthenticationCode {
    // A scope of the package's own signers starts and ends at a day or at an instant.
    let cached = KeyScope(from: .min, to: .min, region: scope.joined, service: scope.prefix)
    let signingKey: HMACKey<SHA256> = signingKey(for: cached) { secret in
      let first = HMACKey<SHA256>(writing: {
        $0.append(scope.prefix)
        $0.append(secret)
      })
      return scope.parts.reduce(first) { key, part in key.derivedKey { $0.append(part) } }
    }
    return AuthenticationCode(signingKey.authenticationCode(for: text))
  }

  /// Returns the authentication code of bytes, computed with the key's secret; for signers.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that are authenticated.
  ///   - algorithm: The HMAC algorithm to use.
  public func authenticationCode(
    for bytes: [UInt8], using algorithm: AuthenticationCode.Algorithm
  ) -> AuthenticationCode {
    switch algorithm {
    case .hmacSHA1:
      let signingKey: HMACKey<SHA1> = signingKey(for: KeyScope()) { HMACKey($0) }
      return AuthenticationCode(bytes.withElements { signingKey.authenticationCode(for: $0) })
    case .hmacSHA256:
      let signingKey: HMACKey<SHA256> = signingKey(for: KeyScope()) { HMACKey($0) }
      return AuthenticationCode(bytes.withElements { signingKey.authenticationCode(for: $0) })
    }
  }
}
