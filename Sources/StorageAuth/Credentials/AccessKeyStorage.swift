internal import HTTPTypes
internal import StorageCrypto

/// The parts of an access key and everything that depends on them alone.
final class AccessKeyStorage: Sendable {
  let id: AccessKeyID
  let secret: Secret
  let sessionToken: Secret?
  let isAnonymous: Bool
  let isDecoy: Bool
  let encodedToken: SecretBytes?
  /// Why the key cannot be used, if it cannot.
  let problem: SigningError?
  /// Why it cannot be used in schemes that take no slash in an id, if it cannot.
  let slashProblem: SigningError?
  let sha1Keys = DerivedKeys<SHA1>()
  let sha256Keys = DerivedKeys<SHA256>()
  private let field = Lock<HTTPField?>(nil)

  init(id: AccessKeyID, secret: Secret, sessionToken: Secret?, isAnonymous: Bool = false, isDecoy: Bool = false) {
    self.isAnonymous = isAnonymous
    self.isDecoy = isDecoy
    self.id = id
    self.secret = secret
    self.sessionToken = sessionToken
    problem = CredentialValidation.problem(id: id, secret: secret, token: sessionToken)
    slashProblem = CredentialValidation.slashProblem(id: id)
    encodedToken = sessionToken.map { token in
      var encoded = [UInt8](writing: { writer in token.bytes.withBytes { writer.append(percentEncoding: $0) } })
      defer { wipe(&encoded) }
      return SecretBytes(encoded.span)
    }
  }

  func tokenField(named name: HTTPField.Name) -> HTTPField? {
    guard let sessionToken else { return nil }
    return field.withLock { field in
      if let field, field.name == name { return field }
      let made = HTTPField(name: name, value: sessionToken.reveal())
      field = made
      return made
    }
  }
}

/// What a derived key is bound to: a stretch of time, a region and a service; unused parts are empty.
@usableFromInline
package struct KeyScope: Sendable, Equatable {
  @usableFromInline let from: Int64
  @usableFromInline let to: Int64
  @usableFromInline let region: String
  @usableFromInline let service: String

  /// Binds a key.
  ///
  /// - Parameters:
  ///   - from: The start of the stretch, in any unit.
  ///   - to: Its end, in the same unit.
  ///   - region: The region.
  ///   - service: The service.
  @inlinable @inline(__always)
  package init(from: Int64 = 0, to: Int64 = 0, region: String = "", service: String = "") {
    self.from = from
    self.to = to
    self.region = region
    self.service = service
  }
}

/// The few keys that were derived last.
final class DerivedKeys<Hash: HashFunction & BitwiseCopyable>: Sendable {
  private struct Entry {
    let scope: KeyScope
    let key: HMACKey<Hash>
  }

  /// Two days, two regions or two windows may be in use side by side; more is a matter of deriving again.
  private static var capacity: Int { 4 }

  private let entries = Lock<[Entry]>([])

  func key(for scope: KeyScope, derive: () -> HMACKey<Hash>) -> HMACKey<Hash> {
    let known = entries.withLock { entries in
      entries.first { $0.scope == scope }?.key
    }
    if let known { return known }
    let key = derive()
    entries.withLock { entries in
      if entries.count == Self.capacity { entries.removeFirst() }
      entries.append(Entry(scope: scope, key: key))
    }
    return key
  }
}
