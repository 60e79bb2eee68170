// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StorageAuth

/// A search for what a client signed, which needs the key that the signature names.
///
/// The strings that a service shows do not tell a wrong secret from a request that was signed differently than it was
/// sent. With the key, a likely request whose signature is the one that arrived proves what the client signed.
package struct SignatureSearch: Sendable {
  package let key: AccessKey

  private let otherKeys: [AccessKey]
  private let fits: @Sendable (HTTPRequest, AccessKey) -> Bool

  private static let otherKeyLimit = 32

  /// Creates a search; the client may have signed with the secret of another key by mistake.
  package init(key: AccessKey, others: [AccessKey] = [], fits: @escaping @Sendable (HTTPRequest, AccessKey) -> Bool) {
    self.key = key
    otherKeys = others
    self.fits = fits
  }

  /// Creates a search with a verifier at the time of signing, or returns `nil` without a signature of the key.
  package init?(
    for request: HTTPRequest, signedFor service: SignedService, verifier: some SignatureVerifier, key: AccessKey
  ) {
    guard let reading = (try? service.reader.signature(of: request)) ?? nil, reading.accessKeyID == key.id else {
      return nil
    }
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
    /// A request, which is the sent one or one that differs from it by a common mistake.
    case request(HTTPRequest)
    /// The sent request with a wrong secret.
    case secret(MistakenSecret)
  }

  /// Returns what the signature of a request is valid for, or `nil` if no common mistake explains it.
  func origin(of request: HTTPRequest) -> Origin? {
    if let found = ([request] + LikelyOrigin.requests(for: request)).first(where: { fits($0, key) }) {
      return .request(found)
    }
    return mistakenSecret(of: request).map { .secret($0) }
  }

  private func mistakenSecret(of request: HTTPRequest) -> MistakenSecret? {
    let secret = key.secret.reveal()
    for (end, name) in [("\n", "a line feed"), ("\r\n", "a line end"), (" ", "a space"), ("\r", "a carriage return")]
    where fits(request, key.with(secret: "\(secret)\(end)")) {
      return .withEnd(name)
    }
    if fits(request, key.with(secret: key.id.string)) { return .accessKeyID }
    for other in otherKeys.prefix(Self.otherKeyLimit) where fits(request, key.with(secret: other.secret.reveal())) {
      return .otherAccount(other.id)
    }
    return nil
  }
}

extension SignatureSearch: Redacted {
  package var description: String { "SignatureSearch(\(key.id))" }
}

/// A secret with which a client signed by mistake.
enum MistakenSecret {
  /// The secret of the key, and a character that does not belong to it.
  case withEnd(String)
  /// The secret of another key.
  case otherAccount(AccessKeyID)
  /// The ID of the key instead of its secret.
  case accessKeyID

  var diagnosis: SignatureDiagnosis {
    let (explanation, remedy) =
      switch self {
      case .withEnd(let name):
        (
          "The strings are equal. The signature is valid for the secret with \(name) at its end, as it is read from a file.",
          "Remove it where the client reads the secret."
        )
      case .otherAccount(let id):
        (
          "The strings are equal. The signature is valid for the secret of the account \(id.string.onOneLine).",
          "Use the ID and the secret of the same key."
        )
      case .accessKeyID:
        (
          "The strings are equal. The client signed with the access key ID instead of the secret.",
          "Pass the secret of the key."
        )
      }
    return SignatureDiagnosis(.wrongSecret, explanation: explanation, remedy: remedy)
  }
}

extension AccessKey {
  fileprivate func with(secret: String) -> AccessKey {
    AccessKey(id: id, secret: Secret(secret), sessionToken: sessionToken, start: start, expiration: expiration)
  }
}

/// The requests that a client may have signed, for a request that arrived with a signature that does not match.
enum LikelyOrigin {
  private static let targetByteLimit = 8 * 1024
  /// The maximum number of query parameters, and of headers, for which origins are generated.
  private static let fieldLimit = 64

  /// The maximum number of query parameters for which origins with two differences are generated.
  private static let pairedParameterLimit = 24

  /// Returns the other requests that the client may have signed; none if generating them would take long.
  static func requests(for request: HTTPRequest) -> [HTTPRequest] {
    let target = request.path ?? "/"
    guard target.utf8.count <= targetByteLimit, target.count(of: "&") < fieldLimit,
      request.headerFields.count <= fieldLimit
    else { return [] }
    var origins = LikelyRewriting.requests(for: request) + changingPath(of: request)
    if let type = request.headerFields[.contentType] {
      let media = String(type.cutOnce(at: ";").before.droppingBlanks)
      for value in [media, media + "; charset=utf-8", media + ";charset=utf-8"] {
        origins.append(request.with { $0.headerFields[.contentType] = value })
      }
    }
    for name in Set(request.headerFields.map(\.name)) where name != .authorization {
      let value = request.headerFields[name] ?? ""
      let trimmed = value.droppingBlanks
      if trimmed.utf8.count != value.utf8.count {
        origins.append(request.with { $0.headerFields[name] = String(trimmed) })
      }
    }
    if target.count(of: "&") < pairedParameterLimit { origins += changingTwoParts(of: request) }
    return origins.filter { $0 != request }
  }

  /// Returns the requests that differ from the given one in two ways that often occur together.
  ///
  /// A client that sends a body with another method than that of the URL usually adds a Content-Type as well.
  private static func changingTwoParts(of request: HTTPRequest) -> [HTTPRequest] {
    var bases = LikelyRewriting.likelyMethods.map { method in request.with { $0.method = method } }.filter {
      $0 != request
    }
    if request.headerFields.contains(.contentType) {
      let untyped = request.with { $0.headerFields[.contentType] = nil }
      bases += [untyped] + bases.map { base in base.with { $0.headerFields[.contentType] = nil } }
    }
    return bases
      + bases.flatMap {
        LikelyRewriting.changingQuery(of: $0) + LikelyRewriting.changingContentType(of: $0) + changingPath(of: $0)
      }
  }

  private static func changingPath(of request: HTTPRequest) -> [HTTPRequest] {
    let (path, query) = (request.path ?? "/").cutOnce(at: "?")
    let parts = path.cut(at: "/")
    guard parts.count > 1, !parts[1].isEmpty else { return [] }
    let rest = parts.count > 2 ? "/" + parts[2...].joined(separator: "/") : "/"
    let label = (request.authority ?? "").cutOnce(at: ".").before
    let paths: [String] = ["/\(parts[1])\(path)", rest, "/\(label)\(path)"]
    return paths.map { path in
      request.with { $0.path = query.map { "\(path)?\($0)" } ?? path }
    }
  }
}

/// The changes that HTTP stacks and proxies commonly make to a request.
///
/// If a service shows only a hash of the received request, the changed request with that hash is the received one.
enum LikelyRewriting {
  static func requests(for request: HTTPRequest) -> [HTTPRequest] {
    var rewritten = changingPath(of: request) + changingQuery(of: request) + changingHost(of: request)
    rewritten += changingContentType(of: request)
    for method in likelyMethods { rewritten.append(request.with { $0.method = method }) }
    for name in Set(request.headerFields.map(\.name)) where name != .authorization {
      rewritten.append(request.with { $0.headerFields[name] = nil })
    }
    return rewritten
  }

  static let likelyMethods: [HTTPRequest.Method] = [.get, .head, .put, .post, .delete]

  static func changingContentType(of request: HTTPRequest) -> [HTTPRequest] {
    contentTypes(after: request.headerFields[.contentType]).map { type in
      request.with { $0.headerFields[.contentType] = type }
    }
  }

  private static func contentTypes(after type: String?) -> [String?] {
    guard let type else {
      return [
        "application/octet-stream", "application/x-www-form-urlencoded", "application/json", "application/xml",
        "text/plain", "text/plain; charset=utf-8", "text/plain;charset=UTF-8", "text/html", "text/csv", "image/jpeg",
        "image/png", "application/pdf", "application/zip", "video/mp4", "audio/mpeg",
      ]
    }
    return ["; charset=utf-8", ";charset=utf-8", "; charset=UTF-8", ";charset=UTF-8"].map { type + $0 }
      + ["application/octet-stream", "application/x-www-form-urlencoded", nil]
  }

  private static func changingPath(of request: HTTPRequest) -> [HTTPRequest] {
    let (path, query) = (request.path ?? "/").cutOnce(at: "?")
    let paths = [
      path.replacing("+", with: "%20"), path.replacing("%20", with: "+"), path.replacing("+", with: "%2B"),
      path.replacing("%2B", with: "+"), path.replacing("%", with: "%25"), path.unescaped ?? path, path.slashesMerged,
      path.dotsResolved, path.dotsResolved.slashesMerged,
    ]
    return paths.map { path in request.with { $0.path = query.map { "\(path)?\($0)" } ?? path } }
  }

  /// Returns the requests without one parameter, without the first or the last ones, or with other escapes.
  static func changingQuery(of request: HTTPRequest) -> [HTTPRequest] {
    let (path, query) = (request.path ?? "/").cutOnce(at: "?")
    guard let query else { return [] }
    let items = query.cut(at: "&")
    var rest = items.indices.map { index in
      items.indices.filter { $0 != index }.map { items[$0] }.joined(separator: "&")
    }
    // Parameters that were added to a presigned URL are usually after those of the signature, or before them.
    rest += items.indices.dropFirst().flatMap { index in
      [items[..<index], items[index...]].map { $0.joined(separator: "&") }
    }
    let queries =
      rest + [query.replacing("+", with: "%2B"), query.replacing("%2B", with: "+"), query.replacing("%", with: "%25")]
    return queries.map { query in request.with { $0.path = query.isEmpty ? path : "\(path)?\(query)" } }
  }

  private static func changingHost(of request: HTTPRequest) -> [HTTPRequest] {
    let host = (request.authority ?? "").cutOnce(at: ":").before
    return [host, "\(host):80", "\(host):443", "\(host):8080"].map { host in request.with { $0.authority = host } }
  }
}
