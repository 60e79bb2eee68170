// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A conformance suite for presigners, which checks an implementation against each ``PresignerRule``.
///
/// ```swift
/// let report = PresignerConformance(MySigner(), samples: samples).report()
/// XCTAssertTrue(report.isConforming, "\(report)")
/// ```
public struct PresignerConformance<Subject: Presigner>: Sendable {
  /// The presigner to check.
  public let presigner: Subject
  /// The requests to presign, with their credentials and signing times, all of which the presigner must accept.
  public let samples: [SigningSample<Subject.SigningCredential>]
  /// The lifetime of the presigned URLs in whole seconds, which the service must allow.
  public let lifetime: Duration
  /// The anonymous credential, or `nil` if the scheme has no anonymous credential.
  public let anonymous: Subject.SigningCredential?
  /// The credentials that the presigner must reject, with names that describe their defects.
  public let unusable: [(name: String, credential: Subject.SigningCredential)]

  /// Creates a suite for a presigner with any type of credential; the parameters are the properties.
  public init(
    _ presigner: Subject, samples: [SigningSample<Subject.SigningCredential>], lifetime: Duration = .seconds(60),
    anonymous: Subject.SigningCredential?, unusable: [(name: String, credential: Subject.SigningCredential)]
  ) {
    self.presigner = presigner
    self.samples = samples
    self.lifetime = lifetime
    self.anonymous = anonymous
    self.unusable = unusable
  }

  /// Checks rules, and returns a report about the presigner with one check for each of them.
  public func report(_ rules: [PresignerRule] = PresignerRule.allCases) -> ConformanceReport {
    ConformanceReport(of: Subject.self, rules, check)
  }

  private func check(_ rule: PresignerRule) throws -> Int {
    switch rule {
    case .determinism:
      try samples.checkEach { try require(presigned($0) == presigned($0), "a second call gives another URL") }
    case .preparation: try checkPreparation()
    case .appending: try samples.checkEach(checkAppending)
    case .kept: try samples.checkEach(checkMethodAndHeaders)
    case .expiry: try samples.checkEach(checkExpiry)
    case .endedCredential: try checkEndedCredential()
    case .anonymity: try checkAnonymity()
    case .lifetime: try samples.checkEach(checkLifetime)
    case .refusal: try checkUnusableCredentials()
    case .secrecy: try samples.checkEach(checkSecrecy)
    }
  }
}

extension PresignerConformance where Subject.SigningCredential == AccessKey {
  /// Creates a suite for a presigner that uses access keys, with the anonymous key and the unusable keys.
  ///
  /// The parameters are the properties.
  public init(_ presigner: Subject, samples: [SigningSample<AccessKey>], lifetime: Duration = .seconds(60)) {
    self.init(
      presigner, samples: samples, lifetime: lifetime, anonymous: .anonymous,
      unusable: AccessKey.unusable.map { ($0.name, $0.key) })
  }
}

extension PresignerConformance {
  typealias Sample = SigningSample<Subject.SigningCredential>

  func presigned(_ sample: Sample) throws(SigningError) -> PresignedRequest {
    try presigner.presign(sample.request, with: sample.credential, validFor: lifetime, in: .at(sample.date))
  }

  func checkPreparation() throws -> Int {
    let objects = samples.flatMap { sample in
      // Divided at the first slash, the key can contain the bucket, and a presigner may reject a path without a bucket.
      ObjectOfRequest.divisions(of: sample.request)
        .filter { !$0.isDividedAtFirstSlash || sample.hasOnlyKeyInPath }.map { (sample, $0) }
    }
    guard !objects.isEmpty else { throw NotTried(reason: "no sample is a request for an object") }
    return try objects.tryEach { sample, object in
      let prepared = try object.presigned(
        by: presigner, with: sample.credential, validFor: lifetime, in: .at(sample.date))
      try require(prepared == presigned(sample), "the URL of \(sample.name) differs from that of a single call")
    }
  }

  func checkAppending(_ sample: Sample) throws {
    let url = try presigned(sample).url
    let path = sample.request.path ?? "/"
    let original = "\(sample.request.scheme ?? "")://\(sample.request.authority ?? "")\(path)"
    try require(Array(url.utf8).starts(with: original.utf8), "the URL does not start with that of the request")
    let appended = url.utf8.dropFirst(original.utf8.count)
    let separator = UInt8(ascii: path.contains("?") ? "&" : "?")
    try require(appended.first == separator, "the appended query does not start with \(Unicode.Scalar(separator))")
    try require(!appended.contains(UInt8(ascii: "+")), "the appended query contains an unencoded +")
    try require(url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") }, "a byte is invalid in a URL")
    try require(!appended.dropFirst().contains(UInt8(ascii: "?")), "the appended query contains another ?")
  }

  func checkMethodAndHeaders(_ sample: Sample) throws {
    let signed = try presigned(sample)
    try require(signed.method == sample.request.method, "the method is \(signed.method)")
    for field in signed.headers where !sample.request.headerFields.contains(field) {
      throw Violation("\(field.name) must be sent with a value that the request does not have")
    }
  }

  func checkExpiry(_ sample: Sample) throws {
    let signed = try presigned(sample)
    let expiration = sample.date.wholeSeconds.advanced(by: lifetime)
    try require(signed.expiration == expiration, "the URL expires at \(signed.expiration), not at \(expiration)")
    let required = presigner.requiredValidity(from: sample.date, validFor: lifetime)
    try require(required >= expiration, "the credential must be valid until \(required), the URL until \(expiration)")
  }

  func checkEndedCredential() throws -> Int {
    let samples = samples.filter { $0.ended != nil }
    guard !samples.isEmpty else { throw NotTried(reason: "no sample has a credential that expires") }
    return try samples.checkEach { sample in
      guard let ended = sample.ended else { return }
      let error = try rejection(of: sample, with: ended, for: lifetime, "a credential that expires before the URL")
      try require(error.code == .credentialEndsFirst, "the error has the code \(error.code)")
    }
  }

  func checkAnonymity() throws -> Int {
    guard let anonymous else { throw NotTried(reason: "there is no anonymous credential") }
    return try samples.checkEach { sample in
      _ = try rejection(of: sample, with: anonymous, for: lifetime, "an anonymous credential")
    }
  }

  func checkLifetime(_ sample: Sample) throws {
    for duration in [Duration.zero, .seconds(-1), .seconds(-1_000_000_000)] {
      _ = try rejection(of: sample, with: sample.credential, for: duration, "a lifetime of \(duration)")
    }
  }

  func checkUnusableCredentials() throws -> Int {
    guard !unusable.isEmpty else { throw NotTried(reason: "there is no credential that must be rejected") }
    guard let sample = samples.first else { throw NotTried(reason: "there is no sample") }
    return try unusable.tryEach { name, credential in
      let error = try rejection(of: sample, with: credential, for: lifetime, name)
      try require(!error.message.isEmpty && !error.remedy.isEmpty, "the error of \(name) lacks a message or a remedy")
    }
  }

  func checkSecrecy(_ sample: Sample) throws {
    let signed = try presigned(sample)
    try sample.secrets.requireAbsent(from: signed.url, "the URL")
    let query = String(signed.url.bytes(after: "?"))
    try require(!query.isEmpty, "the URL has no query")
    try [query].requireAbsent(fromDisplaysOf: signed, "the presigned request: its query")
    let error = try rejection(of: sample, with: sample.credential, for: .zero, "a lifetime of zero")
    try sample.secrets.requireAbsent(fromDisplaysOf: error, "an error")
  }

  private func rejection(
    of sample: Sample, with credential: Subject.SigningCredential, for duration: Duration, _ label: String
  ) throws(Violation) -> SigningError {
    try requireUnsigned(label) { () throws(SigningError) in
      _ = try presigner.presign(sample.request, with: credential, validFor: duration, in: .at(sample.date))
    }
  }
}

extension SigningSample {
  /// Whether the path is the key of the target, so that the host and not the path names the bucket.
  fileprivate var hasOnlyKeyInPath: Bool {
    guard let key = target?.key, let path = request.path else { return false }
    return path.bytes(before: "?").utf8.elementsEqual("/\(key.percentEncoded(keepingSlashes: true))".utf8)
  }
}

/// A rule that an implementation of `Presigner` must follow.
public enum PresignerRule: String, CaseIterable, Sendable {
  /// The presigned URL depends only on the inputs of the presigner.
  case determinism = "the same request, credential, lifetime and time give the same URL"
  /// An object presigner creates the URLs that the presigner creates for single requests.
  case preparation = "an object presigner gives the same URLs, methods, headers and expirations as single calls"
  /// The presigned URL starts with the path and the query of the request.
  case appending = "the URL is that of the request with parameters appended, and has only characters of a URL"
  /// The result contains the method and the headers that the user of the URL must send.
  case kept = "the method is that of the request, and the headers to send are among its headers, with the same values"
  /// The result contains the expiration of the URL.
  case expiry =
    "the reported expiration is the time of signing plus the lifetime, and a credential must be valid until then"
  /// The presigner rejects a credential that expires before the URL.
  case endedCredential = "a credential that expires before the URL is rejected with credentialEndsFirst"
  /// The presigner rejects an anonymous credential.
  case anonymity = "an anonymous credential is rejected"
  /// The presigner rejects a lifetime that is not positive.
  case lifetime = "a lifetime of zero or a negative one is rejected"
  /// The presigner rejects a credential that cannot be sent, instead of repairing the credential.
  case refusal = "a credential that cannot be sent is rejected, such as an empty id or a token with a line break"
  /// The presigner does not disclose secrets or the query of the URL.
  case secrecy = "no secret is in the URL or in an error, and no description shows the query of the URL"
}

/// A request for an object, divided for an object presigner at a slash of its path.
package struct ObjectOfRequest {
  /// The request for which the presigner is created, whose path ends at the slash.
  package let container: HTTPRequest
  /// The object's key after the slash, decoded.
  package let key: String
  /// Whether the path is divided at its first slash.
  package let isDividedAtFirstSlash: Bool

  /// Divides a request at each slash that is followed by the canonical encoding of a key.
  package static func divisions(of request: HTTPRequest) -> [ObjectOfRequest] {
    let path = request.path ?? "/"
    let pathEnd = path.utf8.firstIndex(of: UInt8(ascii: "?")) ?? path.endIndex
    return path[..<pathEnd].utf8.indices.filter { path.utf8[$0] == UInt8(ascii: "/") }.compactMap { slash in
      let keyStart = path.utf8.index(after: slash)
      let encodedKey = String(path[keyStart..<pathEnd])
      // A key that is not UTF-8 has another encoding.
      let key = String(decoding: encodedKey.percentDecodedBytes() ?? [], as: UTF8.self)
      guard !key.isEmpty, key.percentEncoded(.path).utf8.elementsEqual(encodedKey.utf8) else { return nil }
      var container = request
      container.path = String(path[..<keyStart]) + path[pathEnd...]
      return ObjectOfRequest(container: container, key: key, isDividedAtFirstSlash: slash == path.startIndex)
    }
  }

  /// Returns the URL of the object that a prepared presigner creates.
  package func presigned<Subject: Presigner>(
    by presigner: Subject, with credential: Subject.SigningCredential, validFor duration: Duration,
    in context: SigningContext
  ) throws(SigningError) -> PresignedRequest {
    try presigner.presigner(for: container, with: credential, validFor: duration, in: context).presign(key)
  }
}
