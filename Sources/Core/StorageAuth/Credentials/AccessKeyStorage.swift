// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StorageCrypto

/// The storage of an access key: its ID and secrets, and the values derived from them.
final class AccessKeyStorage: Sendable {
  let id: AccessKeyID
  let secret: Secret
  let sessionToken: Secret?
  let isAnonymous: Bool
  let isDecoy: Bool
  /// The error that explains why the access key cannot sign, or `nil` if the key can sign.
  let validationError: SigningError?
  /// The characters in the access key ID with which some signature schemes would end it.
  let idDelimiters: IDDelimiters
  let sha1Keys = DerivedKeys<SHA1>()
  let sha256Keys = DerivedKeys<SHA256>()
  private let cachedToken = Lock<TokenField?>(nil)

  /// Creates the values of a key; an empty session token counts as `nil`.
  init(id: AccessKeyID, secret: Secret, sessionToken: Secret?, isAnonymous: Bool = false, isDecoy: Bool = false) {
    self.isAnonymous = isAnonymous
    self.isDecoy = isDecoy
    self.id = id
    self.secret = secret
    self.sessionToken = sessionToken.flatMap { $0.isEmpty ? nil : $0 }
    validationError = CredentialValidation.validate(id: id, secret: secret, token: self.sessionToken)
    idDelimiters = IDDelimiters(in: id)
  }

  func tokenField(named name: HTTPField.Name) -> HTTPField? {
    guard let sessionToken else { return nil }
    return cachedToken.withLock { cachedToken in
      if let field = cachedToken?.field, field.name == name { return field }
      let field = HTTPField(name: name, value: sessionToken.reveal())
      cachedToken = TokenField(field: field, encodedToken: cachedToken?.encodedToken)
      return field
    }
  }

  func encodedTokenField(named name: HTTPField.Name) -> TokenField? {
    guard let sessionToken else { return nil }
    return cachedToken.withLock { cachedToken in
      if let cachedToken, cachedToken.field.name == name, cachedToken.encodedToken != nil { return cachedToken }
      let token = TokenField(
        field: HTTPField(name: name, value: sessionToken.reveal()), encodedToken: Self.encode(sessionToken))
      cachedToken = token
      return token
    }
  }

  private static func encode(_ token: Secret) -> SecretBytes {
    var bytes = [UInt8](writing: { writer in token.bytes.withBytes { writer.append(percentEncoding: $0) } })
    defer { wipe(&bytes) }
    return SecretBytes(bytes)
  }
}

/// A session token in the forms that signers need.
package struct TokenField: Sendable {
  package let field: HTTPField
  /// The percent-encoded token, or `nil` if no signer has needed it.
  package let encodedToken: SecretBytes?
}

/// The scope of a derived signing key: a period in any unit, a region and a service, each zero or empty if unused.
@usableFromInline package struct KeyScope: Sendable, Equatable {
  @usableFromInline let start: Int64
  @usableFromInline let end: Int64
  @usableFromInline let region: String
  @usableFromInline let service: String

  @inlinable @inline(__always)
  package init(from start: Int64 = 0, to end: Int64 = 0, region: String = "", service: String = "") {
    self.start = start
    self.end = end
    self.region = region
    self.service = service
  }
}

/// A cache of the most recently derived signing keys of an access key.
final class DerivedKeys<Hash: HashFunction & BitwiseCopyable>: Sendable {
  private struct Entry {
    let scope: KeyScope
    let key: HMACKey<Hash>
  }

  /// The maximum number of cached keys: two days, two regions or two periods may be in use concurrently.
  private static var capacity: Int { 4 }

  private let entries = Lock<[Entry]>([])

  func key(for scope: KeyScope, derive: () -> HMACKey<Hash>) -> HMACKey<Hash> {
    if let cachedKey = entries.withLock({ entries in entries.first { $0.scope == scope }?.key }) { return cachedKey }
    let key = derive()
    entries.withLock { entries in
      if entries.count == Self.capacity { entries.removeFirst() }
      entries.append(Entry(scope: scope, key: key))
    }
    return key
  }
}
