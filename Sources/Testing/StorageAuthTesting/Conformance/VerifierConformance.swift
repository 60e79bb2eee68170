// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth

/// A conformance suite for verifiers, which checks an implementation against each ``VerifierRule``.
///
/// A signer creates the requests. All rules except the first two change one property of a correctly signed request, its
/// key or its time, and expect a rejection.
///
/// ```swift
/// let headers = VerifierConformance(verifier, signer: signer, samples: samples, signedHeaders: ["content-type"])
/// let urls = VerifierConformance(verifier, presigner: signer, samples: samples)
/// try headers.report().throwIfFailed()
/// ```
public struct VerifierConformance<Subject: SignatureVerifier>: Sendable {
  /// The verifier to check.
  public let verifier: Subject
  /// The requests to sign and verify, with their credentials and signing times.
  public let samples: [SigningSample<AccessKey>]
  let placement: VerifiedRequest.Placement
  let sign: @Sendable (SigningSample<AccessKey>) throws(SigningError) -> SignedSample

  /// Creates a suite for requests with an authorization in their headers, which `signer` adds.
  ///
  /// `signedHeaders` are the lowercase names of the headers that the signature covers if a request has them. Headers
  /// that the signer adds need not be listed. The other parameters are the properties.
  public init(
    _ verifier: Subject, signer: some Signer<HTTPRequest, AccessKey>, samples: [SigningSample<AccessKey>],
    signedHeaders: Set<String> = []
  ) {
    self.verifier = verifier
    self.samples = samples
    placement = .header
    sign = { sample throws(SigningError) in
      let signed = try signer.signed(sample.request, with: sample.credential, in: .at(sample.date))
      let given = Set(sample.request.headerFields.map(\.name))
      let names = signed.headerFields.map(\.name).filter { name in
        !given.contains(name) || signedHeaders.contains(name.canonicalName)
      }
      return SignedSample(sample: sample, request: signed, signedFields: Set(names), expiration: nil)
    }
  }

  /// Creates a suite for presigned URLs, which `presigner` creates.
  ///
  /// `lifetime` is that of the URLs, in whole seconds. The other parameters are the properties.
  public init(
    _ verifier: Subject, presigner: some Presigner<AccessKey>, samples: [SigningSample<AccessKey>],
    lifetime: Duration = .seconds(60)
  ) {
    self.verifier = verifier
    self.samples = samples
    placement = .query
    sign = { sample throws(SigningError) in
      let signed = try presigner.presign(
        sample.request, with: sample.credential, validFor: lifetime, in: .at(sample.date))
      var request = sample.request
      request.path = RequestURL(signed.url)?.path
      request.headerFields = signed.headers
      return SignedSample(
        sample: sample, request: request, signedFields: Set(signed.headers.map(\.name)), expiration: signed.expiration)
    }
  }

  /// Checks the verifier against the given rules.
  ///
  /// - Parameter rules: The rules to check. Leave out ``VerifierRule/host`` for a scheme that does not sign the host,
  ///   and ``VerifierRule/scope`` for a verifier that accepts every region.
  /// - Returns: A report with a check for each rule, whose number of tries includes each change of each sample.
  public func report(_ rules: [VerifierRule] = VerifierRule.allCases) -> ConformanceReport {
    ConformanceReport(of: Subject.self, rules) { rule in
      var tries = 0
      _ = try samples.checkEach { sample in tries += try check(rule, sign(sample)) }
      return tries
    }
  }

  private func check(_ rule: VerifierRule, _ signed: SignedSample) throws -> Int {
    switch rule {
    case .acceptance: try checkAcceptance(signed)
    case .unsigned: try checkUnsigned(signed)
    case .path: try checkPath(signed)
    case .headers: try checkHeaders(signed)
    case .coverage: try checkCoverage(signed)
    case .controls: try checkControls(signed)
    case .parameters: try checkParameters(signed)
    case .scope: try checkScope(signed)
    case .method: try checkMethod(signed)
    case .host: try checkHost(signed)
    case .secret: try checkSecret(signed)
    case .time: try checkTime(signed)
    case .secrecy: try checkSecrecy(signed)
    }
  }
}

/// A rule that a verifier must follow, together with the signer whose requests it accepts.
public enum VerifierRule: String, CaseIterable, Sendable {
  /// The verifier accepts a correctly signed request and parses it correctly.
  case acceptance = "a signed request is accepted, with the id of the key and the target of the request"
  /// The verifier does not accept a request without an authorization.
  case unsigned = "a request without an authorization has no claim"
  /// The signature covers the path and the query.
  case path = "no byte of the path or the query can be changed"
  /// The signature covers the headers.
  case headers = "no signed header can be changed in a byte, removed or duplicated"
  /// The verifier lists only headers that the signature covers.
  case coverage = "no header in signedHeaders can be changed, removed or added, and an added header is not among them"
  /// The signature covers the headers and parameters that have an effect in the service.
  case controls = "no header and no parameter with a control prefix can be added"
  /// The verifier separates signed parameters from unsigned ones.
  case parameters = "no signed parameter can be added, changed or removed, and an added one counts as unsigned"
  /// The verifier compares the scope of the signature, such as its region, with its own.
  ///
  /// A correct signature for another region must be rejected. A verifier that rejects a changed scope only because the
  /// signature does not match breaks the rule: a key can then sign for that scope.
  case scope = "each part of the scope is compared before the signature"
  /// The signature covers the method.
  case method = "another method is rejected"
  /// The signature covers the host.
  case host = "no byte of the host can be changed"
  /// The signature depends on the access key's secret.
  case secret = "a key with another secret, another id or another session token is rejected"
  /// The verifier rejects an expired signature.
  case time = "a signature is rejected long before and after its time, and a URL right after its expiration"
  /// The verifier does not disclose secrets.
  case secrecy = "no secret and no session token is in an error"
}

/// A sample with its signed request, and what the signature covers.
struct SignedSample: Sendable {
  let sample: SigningSample<AccessKey>
  let request: HTTPRequest
  let signedFields: Set<HTTPField.Name>
  let expiration: Timestamp?
}

extension VerifierConformance {
  func checkPath(_ signed: SignedSample) throws -> Int {
    let paths = (signed.request.path ?? "").singleByteChanges(from: 1)
    for path in paths { try requireRejection(of: signed, "with another byte of the path or query") { $0.path = path } }
    return paths.count
  }

  func checkHeaders(_ signed: SignedSample) throws -> Int {
    var tries = 0
    let fields = Array(signed.request.headerFields)
    for (index, field) in fields.enumerated() where signed.signedFields.contains(field.name) {
      func requireRejected(_ label: String, _ change: (inout [HTTPField]) -> Void) throws {
        var copy = fields
        change(&copy)
        try requireRejection(of: signed, label) { $0.headerFields = HTTPFields(copy) }
        tries += 1
      }
      for value in field.value.singleByteChanges() {
        try requireRejected("with another byte in \(field.name)") { $0[index].value = value }
      }
      try requireRejected("with more in \(field.name)") { $0[index].value += "x" }
      try requireRejected("without \(field.name)") { $0.remove(at: index) }
      try requireRejected("with \(field.name) twice") { $0.append(field) }
    }
    return tries
  }

  func checkMethod(_ signed: SignedSample) throws -> Int {
    let methods = [HTTPRequest.Method.get, .put, .post, .delete, .head, .options].filter { $0 != signed.request.method }
    for method in methods { try requireRejection(of: signed, "as \(method)") { $0.method = method } }
    return methods.count
  }

  func checkHost(_ signed: SignedSample) throws -> Int {
    let hosts = (signed.request.authority ?? "").singleByteChanges()
    for host in hosts { try requireRejection(of: signed, "at another host") { $0.authority = host } }
    return hosts.count
  }

  func checkAcceptance(_ signed: SignedSample) throws -> Int {
    let dates = [signed.sample.date, signed.expiration].compactMap { $0 }
    return try dates.tryEach { date in
      let verified: VerifiedRequest
      do throws(VerificationError) {
        verified = try verify(signed.request, against: signed.sample.credential, at: date)
      } catch { throw Violation("rejected with \(error)") }
      try require(verified.accessKeyID == signed.sample.credential.id, "the id differs from that of the key")
      try require(
        verified.placement == placement, "the reported placement of the authorization is the \(verified.placement)")
      if let expiration = signed.expiration {
        try require(verified.expiration == expiration, "the reported expiration differs")
      }
      if let target = signed.sample.target {
        let isEqual = verified.wholeTarget.isByteEqual(to: target, ignoringAdded: placement == .query)
        try require(isEqual, "the target differs")
      }
    }
  }

  func checkUnsigned(_ signed: SignedSample) throws -> Int {
    do throws(VerificationError) {
      if try verifier.claim(in: signed.sample.request) == nil { return 1 }
    } catch { throw Violation("an unsigned request is rejected with \(error) instead of having no claim") }
    throw Violation("an unsigned request has a claim")
  }

  func checkSecret(_ signed: SignedSample) throws -> Int {
    let keys = wrongKeys(of: signed.sample)
    for (name, key) in keys where rejection(of: signed.request, basedOn: signed, against: key) == nil {
      throw Violation("accepted with \(name)")
    }
    return keys.count
  }

  /// Checks the time a year later and, for a URL, right after its expiration, or else a year before.
  func checkTime(_ signed: SignedSample) throws -> Int {
    // Longer than any scheme accepts a signature.
    let year = Duration.seconds(366 * 86_400)
    let afterExpiration = signed.expiration?.advanced(by: .seconds(1))
    let longBefore = signed.sample.date.advanced(by: .zero - year)
    return try [signed.sample.date.advanced(by: year), afterExpiration ?? longBefore].tryEach { date in
      guard let error = rejection(of: signed.request, basedOn: signed, at: date) else {
        throw Violation("accepted at \(date), although it was signed at \(signed.sample.date)")
      }
      let isRightCode = date != afterExpiration || error.code == .expired
      try require(isRightCode, "a URL that has expired is rejected with \(error.code)")
    }
  }

  func checkSecrecy(_ signed: SignedSample) throws -> Int {
    let key = signed.sample.credential
    let token = key.sessionToken?.reveal() ?? ""
    // A shorter token may occur in an error by chance.
    let secrets = signed.sample.secrets + (token.utf8.count < 8 ? [] : [token])
    var tries = 0
    for (name, wrongKey) in wrongKeys(of: signed.sample) {
      guard let error = rejection(of: signed.request, basedOn: signed, against: wrongKey) else { continue }
      try secrets.requireAbsent(fromDisplaysOf: error, "the error with \(name)")
      try require(!error.message.isEmpty && !error.remedy.isEmpty, "an error lacks a message or a remedy")
      tries += 1
    }
    return tries
  }

  func checkCoverage(_ signed: SignedSample) throws -> Int {
    var tries = 0
    let added = signed.request.with { $0.headerFields.append(HTTPField(name: .known("x-conformance"), value: "1")) }
    for request in [signed.request, added] {
      guard let accepted = verified(request, basedOn: signed) else { continue }
      for name in accepted.signedHeaders.sorted() {
        for (label, changed) in request.changes(ofHeader: name) {
          if verified(changed, basedOn: signed) != nil {
            throw Violation("signedHeaders lists \(name), and the request is accepted \(label)")
          }
          tries += 1
        }
      }
    }
    return tries
  }

  func checkControls(_ signed: SignedSample) throws -> Int {
    let prefixes = controlPrefixes(of: signed)
    guard !prefixes.isEmpty else { throw NotTried(reason: "the verifier has no control prefixes") }
    var tries = 0
    for prefix in prefixes {
      let names = prefix.hasByteSuffix("-") ? ["acl", "copy-source", "meta-added"].map { prefix + $0 } : [prefix]
      for name in names {
        if let field = HTTPField.Name(name), signed.request.headerFields[field] == nil {
          let request = signed.request.with { $0.headerFields.append(HTTPField(name: field, value: "added")) }
          if verified(request, basedOn: signed) != nil { throw Violation("accepted with the header \(name) added") }
          tries += 1
        }
        if verified(signed.request.appending(item: "\(name)=added"), basedOn: signed) != nil {
          throw Violation("accepted with the parameter \(name) added")
        }
        tries += 1
      }
    }
    return tries
  }

  func checkParameters(_ signed: SignedSample) throws -> Int {
    guard let original = verified(signed.request, basedOn: signed)?.target else {
      throw NotTried(reason: "a signed request is rejected")
    }
    let added = ["added", "added=1", "acl", "ACL", "%61cl=", "prefix=added", "Prefix=added", "uploads", "Uploads="]
    let changes = added.map { ("with \($0) added", signed.request.appending(item: $0)) } + signed.request.changesOfItems
    return try changes.tryEach { label, request in
      guard let accepted = verified(request, basedOn: signed) else { return }
      let isSame = accepted.target.withNamesAsSigned.isByteEqual(to: original.withNamesAsSigned, ignoringAdded: false)
      try require(isSame, "accepted \(label), which is a signed parameter for the verifier")
    }
  }

  func checkScope(_ signed: SignedSample) throws -> Int {
    let changes = signed.request.changesOfScope(after: signed.sample.credential.id)
    guard !changes.isEmpty else { throw NotTried(reason: "the authorization has no scope") }
    return try changes.tryEach { part, request in
      guard let error = rejection(of: request, basedOn: signed) else {
        throw Violation("accepted with \(part) instead of a part of the scope")
      }
      // A key can sign for every scope that is only a part of the signed text.
      try require(error.code != .mismatch, "with \(part) in the scope, only the signature is compared, not the scope")
    }
  }

  /// Returns the verifier's control prefixes, and those of the headers that the signer added, such as `x-oss-`.
  private func controlPrefixes(of signed: SignedSample) -> [String] {
    let given = Set(signed.sample.request.headerFields.map(\.name))
    let added = signed.request.headerFields.map(\.name).filter { !given.contains($0) }.compactMap { name in
      let parts = name.canonicalName.parts(between: "-")
      return parts.count > 2 && parts[0] == "x" ? "x-\(parts[1])-" : nil
    }
    return Set(verifier.controlPrefixes + added).sorted()
  }
}

extension VerifierConformance {
  private func requireRejection(of signed: SignedSample, _ label: String, change: (inout HTTPRequest) -> Void) throws {
    if rejection(of: signed.request.with(change), basedOn: signed) == nil { throw Violation("accepted \(label)") }
  }

  private func wrongKeys(of sample: SigningSample<AccessKey>) -> [(name: String, key: AccessKey)] {
    let key = sample.credential
    let other = AccessKey(id: key.id.string + "x", secret: key.secret, sessionToken: key.sessionToken)
    return [("another secret", key.withOtherSecret), ("another id", other)] + key.withOtherTokens
  }

  /// Returns the error for a request with the key and the date of a sample or other ones, or `nil` if it is accepted.
  private func rejection(
    of request: HTTPRequest, basedOn signed: SignedSample, against key: AccessKey? = nil, at date: Timestamp? = nil
  ) -> VerificationError? {
    thrownError { () throws(VerificationError) in
      _ = try verify(request, against: key ?? signed.sample.credential, at: date ?? signed.sample.date)
    }
  }

  func verify(
    _ request: HTTPRequest, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedRequest {
    guard let claim = try verifier.claim(in: request) else {
      throw VerificationError(.unsigned, "The request carries no authorization.", remedy: "Sign it.")
    }
    return try verifier.verify(claim, against: key, at: date)
  }

  private func verified(_ request: HTTPRequest, basedOn signed: SignedSample) -> VerifiedRequest? {
    try? verify(request, against: signed.sample.credential, at: signed.sample.date)
  }
}

extension String {
  /// Returns copies with one byte changed to another of its character class, so that the string stays readable.
  func singleByteChanges(from start: Int = 0) -> [String] {
    let bytes = Array(utf8)
    return (min(start, bytes.count)..<bytes.count).compactMap { index in
      var copy = bytes
      copy[index] =
        switch bytes[index] {
        case UInt8(ascii: "0")...UInt8(ascii: "8"), UInt8(ascii: "a")...UInt8(ascii: "e"),
          UInt8(ascii: "g")...UInt8(ascii: "y"), UInt8(ascii: "A")...UInt8(ascii: "E"),
          UInt8(ascii: "G")...UInt8(ascii: "Y"):
          bytes[index] + 1
        case UInt8(ascii: "9"): UInt8(ascii: "8")
        case UInt8(ascii: "f"): UInt8(ascii: "e")
        case UInt8(ascii: "F"): UInt8(ascii: "E")
        default: UInt8(ascii: "x")
        }
      return copy == bytes ? nil : String(utf8: copy)
    }
  }
}

extension RequestTarget {
  /// Returns whether two targets are equal, optionally ignoring parameters after those of the other target.
  func isByteEqual(to other: RequestTarget, ignoringAdded: Bool) -> Bool {
    func bytes(_ target: RequestTarget, _ parameters: some Sequence<Parameter>) -> [[UInt8]?] {
      [target.bucket, target.key].map { $0.map { Array($0.utf8) } }
        + parameters.flatMap { [Array($0.name.utf8), $0.value.map { Array($0.utf8) }] }
    }
    let comparedParameters = ignoringAdded ? parameters.prefix(other.parameters.count) : parameters[...]
    return bytes(self, comparedParameters) == bytes(other, other.parameters)
  }

  /// The target with the names of parameters in lowercase if the scheme signs them in lowercase.
  fileprivate var withNamesAsSigned: RequestTarget {
    guard ignoresCase else { return self }
    let parameters = parameters.map { Parameter(name: $0.name.asciiLowercased.string, value: $0.value?.string) }
    return RequestTarget(bucket: bucket?.string, key: key?.string, parameters: parameters)
  }
}

extension HTTPRequest {
  /// Returns a copy with an item at the end of the query, such as `acl` or `prefix=a`.
  fileprivate func appending(item: String) -> HTTPRequest {
    with { $0.path = (path ?? "/") + ((path ?? "").hasByte("?") ? "&" : "?") + item }
  }

  /// Returns copies with other values of a header and without it, or with it if it is absent; `host` is the authority.
  fileprivate func changes(ofHeader header: String) -> [(label: String, request: HTTPRequest)] {
    if header.isIdentical(to: "host") { return [("at another host", with { $0.authority = "x\(authority ?? "")" })] }
    guard let name = HTTPField.Name(header) else { return [] }
    let fields = Array(headerFields)
    let matchingIndices = fields.indices.filter { fields[$0].name == name }
    func changed(_ label: String, _ change: (inout [HTTPField]) -> Void) -> (label: String, request: HTTPRequest) {
      var changedFields = fields
      change(&changedFields)
      return (label, with { $0.headerFields = HTTPFields(changedFields) })
    }
    let values = matchingIndices.flatMap { index in
      let changedValues = fields[index].value.singleByteChanges()
      let otherValues = [changedValues.first, changedValues.last, fields[index].value + "x"].compactMap { $0 }
      return otherValues.map { value in changed("with another value of it") { $0[index].value = value } }
    }
    let removals = matchingIndices.map { index in changed("without it") { $0.remove(at: index) } }
    guard matchingIndices.isEmpty else { return values + removals }
    return [changed("with it added") { $0.append(HTTPField(name: name, value: "added")) }]
  }

  /// Copies in which one item of the query is changed or missing.
  fileprivate var changesOfItems: [(label: String, request: HTTPRequest)] {
    let path = path ?? "/"
    let items = path.bytes(after: "?").parts(between: "&")
    return items.indices.flatMap { index in
      [
        ("with more in", String(items[index]) + "x"), ("without", nil),
        ("with uppercase in", items[index].uppercased()),
      ].map { label, item in
        var changedItems = items.map(String.init)
        if let item { changedItems[index] = item } else { changedItems.remove(at: index) }
        let query = (changedItems.isEmpty ? "" : "?") + changedItems.joined(separator: "&")
        return ("\(label) an item of the query", with { $0.path = path.bytes(before: "?") + query })
      }
    }
  }

  /// Returns copies of the request, each with another word for one part of the scope that follows the ID of the key.
  ///
  /// The scope is in the `Authorization` header or, percent-encoded, in the query: `ID/date/region/service/end`.
  fileprivate func changesOfScope(after id: AccessKeyID) -> [(label: String, request: HTTPRequest)] {
    func changes(
      in text: String, after start: String, between separator: String, _ change: (inout HTTPRequest, String) -> Void
    ) -> [(label: String, request: HTTPRequest)] {
      guard let startRange = text.firstRange(of: start + separator) else { return [] }
      let scopeAndMore = text[startRange.upperBound...]
      let scope = scopeAndMore.prefix { !",&;: ".contains($0) }
      let parts = String(scope).split(separator: separator, omittingEmptySubsequences: false).map(String.init)
      guard parts.count >= 3 else { return [] }
      return parts.indices.map { index in
        var words = parts
        // Another letter or digit at the end, so that the word stays well-formed.
        words[index] = parts[index].singleByteChanges().last ?? "x"
        let changed =
          text[..<startRange.upperBound] + words.joined(separator: separator) + scopeAndMore[scope.endIndex...]
        return (words[index], with { change(&$0, String(changed)) })
      }
    }
    let header = changes(in: headerFields[.authorization] ?? "", after: id.string, between: "/") {
      $0.headerFields[.authorization] = $1
    }
    return header + changes(in: path ?? "", after: id.string, between: "%2F") { $0.path = $1 }
  }
}
