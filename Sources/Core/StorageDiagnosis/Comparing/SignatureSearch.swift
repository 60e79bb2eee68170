// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StorageAuth

/// A search for what a client signed, which needs the key that the signature names.
///
/// The strings that a service shows do not tell a wrong secret from a request that was signed differently than it was
/// sent. With the key, a likely request whose signature is the one that arrived proves what the client signed.
package struct SignatureSearch: Sendable {
  package let key: AccessKey
  private let otherKeys: [AccessKey]
  /// Returns whether the signature that arrived is valid for a request and a key.
  private let isValid: @Sendable (HTTPRequest, AccessKey) -> Bool

  /// The maximum number of other keys that are tried, since each of them costs a signature.
  private static let otherKeyLimit = 32

  /// Creates a search; the client may have signed with the secret of another key by mistake.
  package init(
    key: AccessKey, others: [AccessKey] = [], fits isValid: @escaping @Sendable (HTTPRequest, AccessKey) -> Bool
  ) {
    self.key = key
    otherKeys = others
    self.isValid = isValid
  }

  /// Creates a search with a verifier at the time of signing, or returns `nil` without a signature of the key.
  package init?(
    for request: HTTPRequest, signedFor service: SignedService, verifier: some SignatureVerifier, key: AccessKey
  ) {
    guard let reading = (try? service.reader.signature(of: request)) ?? nil, reading.accessKeyID == key.id else {
      return nil
    }
    // At this time neither the window nor the skew of a clock can fail the verification; only the signature can.
    let date = reading.signedAt ?? reading.expiration?.advanced(by: .seconds(-1)) ?? .now
    self.init(key: key) { request, key in
      guard let claim = try? verifier.claim(in: request) else { return false }
      return (try? verifier.verify(claim, against: key, at: date)) != nil
    }
  }

  /// Returns the ID of the key that a request names, and whether that key is temporary, or `nil` if it names none.
  package static func claim(
    in request: HTTPRequest, signedFor service: SignedService
  ) -> (id: AccessKeyID, isTemporary: Bool?)? {
    guard let reading = (try? service.reader.signature(of: request)) ?? nil else { return nil }
    return (reading.accessKeyID, reading.hasToken ? true : service.reader.isTemporary(reading.accessKeyID))
  }

  /// The request or the secret that a signature is valid for.
  enum Origin {
    /// The sent request, or a request that differs from it by a common mistake.
    case request(HTTPRequest)
    /// The sent request with a wrong secret.
    case secret(MistakenSecret)
  }

  /// Returns what the signature of a request is valid for, or `nil` if no common mistake explains it.
  func origin(of request: HTTPRequest) -> Origin? {
    let likelyRequests = [request] + LikelyRequests.signedByClient(sending: request)
    if let signedRequest = likelyRequests.first(where: { isValid($0, key) }) { return .request(signedRequest) }
    return mistakenSecret(of: request).map { .secret($0) }
  }

  private func mistakenSecret(of request: HTTPRequest) -> MistakenSecret? {
    let secret = key.secret.reveal()
    let endings = [("\n", "a line feed"), ("\r\n", "a line end"), (" ", "a space"), ("\r", "a carriage return")]
    for (ending, name) in endings where isValid(request, key.with(secret: "\(secret)\(ending)")) {
      return .withEnding(name)
    }
    if isValid(request, key.with(secret: key.id.string)) { return .accessKeyID }
    for other in otherKeys.prefix(Self.otherKeyLimit) where isValid(request, key.with(secret: other.secret.reveal())) {
      return .otherKey(other.id)
    }
    return nil
  }
}

extension SignatureSearch: Redacted {
  package var description: String { "SignatureSearch(\(key.id))" }
}

/// A text with which a client signed by mistake instead of the key's secret.
enum MistakenSecret {
  /// The secret of the key, followed by whitespace with the given name.
  case withEnding(String)
  /// The secret of another key.
  case otherKey(AccessKeyID)
  /// The ID of the key instead of its secret.
  case accessKeyID

  var diagnosis: SignatureDiagnosis {
    let (mistake, remedy) =
      switch self {
      case .withEnding(let name):
        (
          "The signature is valid for the secret with \(name) at its end, as it is read from a file.",
          "Remove it where the client reads the secret."
        )
      case .otherKey(let id):
        (
          "The signature is valid for the secret of the account \(id.string.onOneLine).",
          "Use the ID and the secret of the same key."
        )
      case .accessKeyID:
        ("The client signed with the access key ID instead of the secret.", "Pass the secret of the key.")
      }
    return SignatureDiagnosis(.wrongSecret, explanation: "The strings are equal. \(mistake)", remedy: remedy)
  }
}

extension AccessKey {
  fileprivate func with(secret: String) -> AccessKey {
    AccessKey(id: id, secret: Secret(secret), sessionToken: sessionToken, start: start, expiration: expiration)
  }
}
