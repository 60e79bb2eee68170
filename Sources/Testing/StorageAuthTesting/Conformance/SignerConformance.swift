// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth

/// A conformance suite for signers of HTTP requests, which checks an implementation against each ``SignerRule``.
///
/// ```swift
/// let samples = try SampleMaker(
///   endpoint: endpoint, bucket: "photos", headers: ["content-type", "x-acme-meta-a"]
/// ).samples(count: 100)
/// let report = SignerConformance(MySigner(), samples: samples).report()
/// XCTAssertTrue(report.isConforming, "\(report)")
/// ```
public struct SignerConformance<Subject: Signer>: Sendable where Subject.Request == HTTPRequest {
  /// The signer to check.
  public let signer: Subject
  /// The requests to sign, with their credentials and signing times, all of which the signer must accept.
  public let samples: [SigningSample<Subject.SigningCredential>]
  /// The anonymous credential, or `nil` if the scheme has no anonymous credential.
  public let anonymous: Subject.SigningCredential?
  /// The credentials that the signer must reject, with names that describe their defects.
  public let unusable: [(name: String, credential: Subject.SigningCredential)]

  /// Creates a suite for a signer with any type of credential; the parameters are the properties.
  public init(
    _ signer: Subject, samples: [SigningSample<Subject.SigningCredential>], anonymous: Subject.SigningCredential?,
    unusable: [(name: String, credential: Subject.SigningCredential)]
  ) {
    self.signer = signer
    self.samples = samples
    self.anonymous = anonymous
    self.unusable = unusable
  }

  /// Checks rules, and returns a report about the signer with one check for each of them.
  ///
  /// Leave out the `bound…` rules that the scheme does not follow.
  public func report(_ rules: [SignerRule] = SignerRule.allCases) -> ConformanceReport {
    ConformanceReport(of: Subject.self, rules, check)
  }

  private func check(_ rule: SignerRule) throws -> Int {
    switch rule {
    case .determinism:
      try samples.checkEach { try require(signed($0) == signed($0), "the second signature differs from the first") }
    case .atomicity: try forHostileInputs(checkAtomicity)
    case .untouchedPath: try samples.checkEach(checkPath) + forHostileInputs(checkPathIfSigned)
    case .keptHeaders: try forSamples(withHeaders: 1, checkHeaders)
    case .headerOrder: try forSamples(withHeaders: 2, checkHeaderOrder)
    case .resigning: try checkResigning()
    case .anonymity: try checkAnonymity()
    case .boundSecret: try checkSecret()
    case .boundDate: try samples.checkEach(checkDate)
    case .boundMethod: try samples.checkEach(checkMethod)
    case .boundPath: try samples.checkEach(checkOtherPath)
    case .refusal: try checkRefusal()
    case .secrecy: try samples.checkEach(checkSecrecy) + forHostileInputs(checkSecrecyOfErrors)
    case .validity: try samples.checkEach(checkValidity)
    }
  }
}

extension SignerConformance where Subject.SigningCredential == AccessKey {
  /// Creates a suite for a signer that uses access keys, with the anonymous key and the unusable keys.
  ///
  /// The parameters are the properties.
  public init(_ signer: Subject, samples: [SigningSample<AccessKey>]) {
    self.init(signer, samples: samples, anonymous: .anonymous, unusable: AccessKey.unusable.map { ($0.name, $0.key) })
  }
}

extension SignerConformance {
  typealias Sample = SigningSample<Subject.SigningCredential>

  /// Runs a check with each sample that has at least a number of headers with different names.
  private func forSamples(withHeaders count: Int, _ check: (Sample) throws -> Void) throws -> Int {
    let samples = samples.filter { Set($0.request.headerFields.map(\.name)).count >= count }
    guard !samples.isEmpty else {
      throw NotTried(reason: "no sample has \(count == 1 ? "a header" : "\(count) headers with different names")")
    }
    return try samples.checkEach(check)
  }

  /// Runs a check with each hostile request and with each unusable credential, and returns the number of tries.
  func forHostileInputs(_ check: (_ request: HTTPRequest, _ name: String, Sample) throws -> Void) throws -> Int {
    guard let sample = samples.first else { throw NotTried(reason: "there is no sample") }
    let requests = HostileInputs.requests(from: sample.request)
    _ = try [sample].checkEach { sample in
      for (name, request) in requests { try check(request, name, sample) }
      for (name, credential) in unusable {
        var copy = sample
        copy.credential = credential
        try check(sample.request, "with \(name)", copy)
      }
    }
    return requests.count + unusable.count
  }

  func signed(_ sample: Sample) throws(SigningError) -> HTTPRequest {
    try signer.signed(sample.request, with: sample.credential, in: .at(sample.date))
  }

  func checkSecret() throws -> Int {
    let samples = samples.filter { $0.otherSecret != nil }
    guard !samples.isEmpty else { throw NotTried(reason: "no sample has a credential with another secret") }
    return try samples.checkEach { sample in
      guard let otherCredential = sample.otherSecret else { return }
      try requireOtherSignature(than: sample, "with another secret") { $0.credential = otherCredential }
    }
  }

  func checkDate(_ sample: Sample) throws {
    try requireOtherSignature(than: sample, "an hour later") { $0.date = $0.date.advanced(by: .seconds(3_600)) }
  }

  func checkMethod(_ sample: Sample) throws {
    let method: HTTPRequest.Method = sample.request.method == .get ? .delete : .get
    try requireOtherSignature(than: sample, "with \(method)") { $0.request.method = method }
  }

  func checkOtherPath(_ sample: Sample) throws {
    try requireOtherSignature(than: sample, "with another path") { changed in
      let path = changed.request.path ?? "/"
      changed.request.path = path.bytes(before: "?") + "x" + path.bytes(from: "?")
    }
  }

  private func requireOtherSignature(
    than sample: Sample, _ label: String, change: (inout Sample) -> Void
  ) throws {
    var changed = sample
    change(&changed)
    let authorization = try signed(sample).authorization(addedTo: sample.request)
    let otherAuthorization = try signed(changed).authorization(addedTo: changed.request)
    try require(authorization != otherAuthorization, "the signature is the same \(label)")
  }

  func checkRefusal() throws -> Int {
    guard !unusable.isEmpty else { throw NotTried(reason: "there is no credential that must be rejected") }
    guard let sample = samples.first else { throw NotTried(reason: "there is no sample") }
    return try unusable.tryEach { name, credential in
      try requireUnsigned(name) { () throws(SigningError) in
        _ = try signer.signed(sample.request, with: credential, in: .at(sample.date))
      }
    }
  }

  func checkAtomicity(_ request: HTTPRequest, _ name: String, _ sample: Sample) throws {
    let attempt = attemptToSign(request, sample)
    guard let error = attempt.error else { return }
    try require(attempt.request == request, "the request changed although it was rejected \(name)")
    try require(!error.message.isEmpty && !error.remedy.isEmpty, "the error \(name) lacks a message or a remedy")
  }

  func checkSecrecy(_ sample: Sample) throws {
    let signed = try signed(sample)
    let fields = signed.headerFields.map { "\($0.name): \($0.value)" }
    let text = ([signed.path ?? "", signed.authority ?? ""] + fields).joined(separator: "\n")
    try sample.secrets.requireAbsent(from: text, "the signed request")
  }

  func checkSecrecyOfErrors(_ request: HTTPRequest, _ name: String, _ sample: Sample) throws {
    guard let error = attemptToSign(request, sample).error else { return }
    var secrets = sample.secrets
    if let key = sample.credential as? AccessKey {
      secrets += [key.secret.reveal(), key.sessionToken?.reveal() ?? ""].filter { $0.utf8.count >= 8 }
    }
    try secrets.requireAbsent(fromDisplaysOf: error, "the error \(name)")
  }

  /// Returns a request after an attempt to sign it as the sample would be, and the error if the signer rejected it.
  private func attemptToSign(_ request: HTTPRequest, _ sample: Sample) -> (request: HTTPRequest, error: SigningError?) {
    var signed = request
    let error = thrownError { () throws(SigningError) in
      try signer.sign(&signed, with: sample.credential, in: .at(sample.date))
    }
    return (signed, error)
  }

  func checkPath(_ sample: Sample) throws { try requireUntouched(signed(sample), from: sample.request, "") }

  func checkPathIfSigned(_ request: HTTPRequest, _ name: String, _ sample: Sample) throws {
    let attempt = attemptToSign(request, sample)
    if attempt.error == nil { try requireUntouched(attempt.request, from: request, " \(name)") }
  }

  private func requireUntouched(_ signed: HTTPRequest, from request: HTTPRequest, _ name: String) throws(Violation) {
    func bytes(_ text: String?) -> [UInt8]? { text.map { Array($0.utf8) } }
    try require(bytes(signed.path) == bytes(request.path), "the path changed\(name)")
    try require(signed.method == request.method, "the method changed\(name)")
    try require(bytes(signed.scheme) == bytes(request.scheme), "the scheme changed\(name)")
    try require(bytes(signed.authority) == bytes(request.authority), "the host changed\(name)")
  }

  /// Checks that the signed request has the headers of the request in their order, possibly with others between them.
  func checkHeaders(_ sample: Sample) throws {
    var expectedFields = Array(sample.request.headerFields)[...]
    for field in try signed(sample).headerFields where field == expectedFields.first {
      expectedFields = expectedFields.dropFirst()
    }
    if let lost = expectedFields.first { throw Violation("\(lost.name) was removed, changed or moved") }
  }

  func checkHeaderOrder(_ sample: Sample) throws {
    var reordered = sample
    reordered.request.headerFields = HTTPFields(
      sample.request.headerFields.sorted { $0.name.canonicalName > $1.name.canonicalName })
    let additions = try signed(sample).additions(to: sample.request)
    let isSame = try signed(reordered).additions(to: sample.request) == additions
    try require(isSame, "the headers in another order give a different signature")
  }

  /// Checks that signing replaces the headers of an earlier signature, with the credential and time of the next sample.
  func checkResigning() throws -> Int {
    var otherSamples = samples.dropFirst() + samples.prefix(1)
    return try samples.checkEach { sample in
      guard let other = otherSamples.popFirst() else { return }
      let signedBefore = try signer.signed(sample.request, with: other.credential, in: .at(other.date))
      let again = try signer.signed(signedBefore, with: sample.credential, in: .at(sample.date))
      let fresh = try signed(sample)
      try require(
        again.sortedFields == fresh.sortedFields,
        "after signing twice it has \(again.sortedNames), after signing once \(fresh.sortedNames)")
    }
  }

  func checkAnonymity() throws -> Int {
    guard let anonymous else { throw NotTried(reason: "there is no anonymous credential") }
    return try samples.checkEach { sample in
      let signed = try signer.signed(sample.request, with: anonymous, in: .at(sample.date))
      try require(signed == sample.request, "the request changed")
    }
  }

  func checkValidity(_ sample: Sample) throws {
    let required = signer.requiredValidity(from: sample.date)
    try require(required >= sample.date, "a credential must be valid until \(required) to be used at \(sample.date)")
  }
}

extension Array {
  /// Runs a check with each sample, and adds the sample's name and signing time to a violation or rejection.
  func checkEach<SigningCredential>(_ check: (Element) throws -> Void) throws -> Int
  where Element == SigningSample<SigningCredential> {
    guard !isEmpty else { throw NotTried(reason: "there is no sample") }
    for sample in self {
      do { try check(sample) } catch let violation as Violation {
        throw Violation("\(sample.name): \(violation.message) (signed at \(sample.date))")
      } catch let error as SigningError {
        throw Violation("\(sample.name): it was rejected with \(error) (signed at \(sample.date))")
      }
    }
    return count
  }
}

extension HTTPRequest {
  /// Returns the header fields that were added to the original request, in sorted order.
  func additions(to original: HTTPRequest) -> [String] {
    var originalFields = Array(original.headerFields)
    return headerFields.filter { field in
      guard let index = originalFields.firstIndex(of: field) else { return true }
      originalFields.remove(at: index)
      return false
    }.map { "\($0.name.canonicalName):\($0.value)" }.sorted()
  }

  /// Returns the added `Authorization` header or, if the request has no such header, all added header fields.
  func authorization(addedTo original: HTTPRequest) -> [String] {
    headerFields[.authorization].map { [$0] } ?? additions(to: original)
  }

  fileprivate var sortedFields: [String] { headerFields.map { "\($0.name.canonicalName):\($0.value)" }.sorted() }
  fileprivate var sortedNames: [String] { headerFields.map(\.name.canonicalName).sorted() }
}

/// The inputs that a signer must reject, or sign without changing them.
enum HostileInputs {
  /// Returns copies of a request with one defect each, and with names that describe the defects.
  static func requests(from request: HTTPRequest) -> [(name: String, request: HTTPRequest)] {
    let paths: [(String, String?)] = [
      ("without a path", nil), ("with an empty path", ""), ("with a path without a slash", "cat.jpg"),
      ("with a space in the path", "/a b"), ("with a line break in the path", "/a\r\nX-Injected: b"),
      ("with a NUL in the path", "/a\0"), ("with half an escape", "/%4"), ("with an invalid escape", "/%zz"),
      ("with a non-ASCII character in the path", "/caf\u{e9}"), ("with a fragment", "/a#b"),
      ("with an escape that is not UTF-8", "/%ff%fe"),
      ("with a very long path", "/" + String(repeating: "a", count: 70_000)),
      ("with a very long query", "/a?prefix=" + String(repeating: "%20", count: 20_000)),
      ("with two question marks", "/a?b?c"), ("with empty parameters", "/a?&&=&"),
    ]
    let hosts: [(String, String?)] = [
      ("without a host", nil), ("with an empty host", ""), ("with a space in the host", "a b.example.com"),
      ("with a line break in the host", "a\r\nb"), ("with a user in the host", "user:password@example.com"),
    ]
    let names = ["Content-Type", "Date", "Authorization", "Range"]
    return paths.map { name, path in (name, request.with { $0.path = path }) }
      + hosts.map { name, host in (name, request.with { $0.authority = host }) }
      + names.compactMap { HTTPField.Name($0) }.map { name in
        let fields = ["a", "b"].map { HTTPField(name: name, value: $0) }
        return ("with \(name) twice", request.with { $0.headerFields.append(contentsOf: fields) })
      }
  }
}

/// A rule that an implementation of `Signer` for HTTP requests must follow.
public enum SignerRule: String, CaseIterable, Sendable {
  /// The signature depends only on the inputs of the signer.
  case determinism = "the same request, credential and time give the same signature"
  /// The signer signs a request completely or does not change it.
  case atomicity = "if signing throws, the request is unchanged, and the error has a message and a remedy"
  /// The signer does not change the request line.
  case untouchedPath = "method, scheme, host and path are unchanged, byte for byte"
  /// The signer does not change the headers of the request.
  case keptHeaders = "the headers of the request are preserved, with their values and in their order"
  /// The order of headers with different names does not change the signature.
  case headerOrder = "the order of headers with different names does not matter"
  /// The signer can sign a request again, such as after a refresh of the credential.
  case resigning = "signing a signed request again gives the same headers as signing it once"
  /// The signer adds no authorization if the credential is anonymous.
  case anonymity = "an anonymous credential leaves the request unchanged"
  /// The signature depends on the secret.
  case boundSecret = "another secret gives a different signature"
  /// The signature depends on the signing time.
  case boundDate = "another date gives a different signature"
  /// The signature depends on the method of the request.
  case boundMethod = "another method gives a different signature"
  /// The signature depends on the path of the request.
  case boundPath = "another path gives a different signature"
  /// The signer rejects a credential that cannot be sent, instead of repairing the credential.
  case refusal = "a credential that cannot be sent is rejected, such as an empty id or a token with a line break"
  /// The signer does not disclose secrets.
  case secrecy = "no secret is in the signed request or in an error"
  /// The signer requires a credential that is valid at least until the signing time.
  case validity = "a credential must be valid at least until the time of signing"
}
