// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageCrypto

/// The storage of an access key: its ID and secrets, and the values derived from them.
final class AccessKeyStorage: Sendable {
  let id: AccessKeyID
  let secret: Secret
  let sessionToken: Secret?
  let isAnonymous: Bool
  let isDecoy: Bool
  /// The percent-encoded session token, or `nil` if the key has no session token.
  let encodedToken: SecretBytes?
  /// The error that explains why the access key cannot sign, or `nil` if the key can sign.
  let validationError: SigningError?
  /// The characters in the access key ID with which some signature schemes would end it.
  let idDelimiters: IDDelimiters
  let sha1Keys = DerivedKeys<SHA1>()
  let sha256Keys = DerivedKeys<SHA256>()
  private let cachedTokenField = Lock<HTTPField?>(nil)

  init(id: AccessKeyID, secret: Secret, sessionToken: Secret?, isAnonymous: Bool = false, isDecoy: Bool = false) {
    self.isAnonymous = isAnonymous
    self.isDecoy = isDecoy
    self.id = id
    self.secret = secret
    self.sessionToken = sessionToken
    validationError = CredentialValidation.error(id: id, secret: secret, token: sessionToken)
    idDelimiters = IDDelimiters(in: id)
    encodedToken = sessionToken.map { token in
      var encoded = [UInt8](writing: { writer in token.bytes.withBytes { writer.append(percentEncoding: $0) } })
      defer { wipe(&encoded) }
      return SecretBytes(encoded)
    }
  }

  func tokenField(named name: HTTPField.Name) -> HTTPField? {
    guard let sessionToken else { return nil }
    return cachedTokenField.withLock { cachedField in
      if let cachedField, cachedField.name == name { return cachedField }
      let newField = HTTPField(name: name, value: sessionToken.reveal())
      cachedField = newField
      return newField
    }
  }
}

/// The scope of a derived signing key: a period in any unit, a region and a service, each zero or empty if unused.
@usableFromInline
package struct KeyScope: Sendable, Equatable {
  @usableFromInline let from: Int64
  @usableFromInline let to: Int64
  @usableFromInline let region: String
  @usableFromInline let service: String

  @inlinable @inline(__always)
  package init(from: Int64 = 0, to: Int64 = 0, region: String = "", service: String = "") {
    self.from = from
    self.to = to
    self.region = region
    self.service = service
  }
}

/// A cache for the most recently derived signing keys of an access key.
final class DerivedKeys<Hash: HashFunction & BitwiseCopyable>: Sendable {
  private struct Entry {
    let scope: KeyScope
    let key: HMACKey<Hash>
  }

  /// The maximum number of cached keys: two days, two regions or two periods may be in use concurrently.
  private static var capacity: Int { 4 }

  private let entries = Lock<[Entry]>([])

  func key(for scope: KeyScope, derive: () -> HMACKey<Hash>) -> HMACKey<Hash> {
    let cachedKey = entries.withLock { entries in
      entries.first { $0.scope == scope }?.key
    }
    if let cachedKey { return cachedKey }
    let key = derive()
    entries.withLock { entries in
      if entries.count == Self.capacity { entries.removeFirst() }
      entries.append(Entry(scope: scope, key: key))
    }
    return key
  }
}
