// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

extension COSVerifier {
  /// Rejects an authorization or session token parameter whose name is not lowercase.
  ///
  /// COS signs lowercase names, and only these parameters may be left out of the signature's list. In another letter
  /// case, such a parameter would be neither signed nor recognized.
  func checkNames(of target: RequestTarget) throws(VerificationError) {
    for parameter in target.parameters {
      // All case mappings of Unicode count, including the mapping of U+212A (KELVIN SIGN) to `k`, because the program
      // that reads the name may use any of them.
      let lowered = WireText(parameter.name.string.lowercased())
      guard Self.isUnlisted(lowered), parameter.name != lowered else { continue }
      throw VerificationError(
        .malformed, "The parameter \"\(parameter.name.string.onOneLine)\" is not in lower case.",
        remedy: "Spell the parameters of the authorization in lower case.")
    }
  }

  /// Returns whether a request may contain the query parameter without listing it in the signature.
  private static func isUnlisted(_ name: WireText) -> Bool { isAuthorization(name) || tokenNames.contains(name) }

  /// Rejects name lists that do not match the request, and unlisted headers or parameters that have an effect.
  func checkCoverage(of claim: COSClaim, _ request: HTTPRequest) throws(VerificationError) {
    try checkHeaders(of: claim, request)
    try checkParameters(of: claim)
  }

  private func checkHeaders(of claim: COSClaim, _ request: HTTPRequest) throws(VerificationError) {
    let listed = Set(claim.headers)
    guard listed.count == claim.headers.count else {
      throw .ambiguous("The list of signed headers names one twice.")
    }
    var present: [String: Int] = [:]
    for field in request.headerFields { present[field.name.canonicalName, default: 0] += 1 }
    for name in claim.headers where name != "host" {
      let count = present[name] ?? 0
      guard count == 1 || count == 0 && isTokenInURL(name, claim) else {
        throw count == 0
          ? .malformed("The header \(name) is listed as signed and not there.")
          : .ambiguous("The header \(name) is signed and there \(count) times.")
      }
    }
    for field in request.headerFields where !listed.contains(field.name.canonicalName) {
      let name = field.name.canonicalName
      if mode == .compatible, Self.tokenNames.contains(WireText(name)) { continue }
      if Self.hasEffect(name) || mode == .strict && name == "content-length" {
        throw Self.unsigned("header \(name)")
      }
    }
    if mode == .strict { try checkHostAndLength(of: claim, request) }
  }

  /// Rejects a request whose host is not signed, or whose body is chunked.
  ///
  /// Only the sender determines the length of a chunked body.
  private func checkHostAndLength(of claim: COSClaim, _ request: HTTPRequest) throws(VerificationError) {
    guard claim.headers.contains("host") else { throw Self.unsigned("host") }
    guard !request.headerFields.contains(.transferEncoding) else {
      throw VerificationError(
        .unsignedField, "The length of a body with Transfer-Encoding cannot be signed.",
        remedy: "Send the body with a Content-Length, and sign that.")
    }
  }

  /// Rejects, in strict mode, an unsigned header that becomes part of the object.
  func checkStoredHeaders(of claim: COSClaim, _ request: HTTPRequest) throws(VerificationError) {
    guard mode == .strict, request.method == .put || request.method == .post else { return }
    for field in request.headerFields {
      let name = field.name.canonicalName
      if Self.storedNames.contains(name), !claim.headers.contains(name) { throw Self.unsigned("header \(name)") }
    }
  }

  private static let storedNames: Set<String> = [
    "cache-control", "content-disposition", "content-encoding", "content-md5", "content-type", "expires",
  ]

  /// Returns the request as the client signed it.
  ///
  /// If the signature lists the session token as a header, the result contains the token as a header.
  func asSigned(_ request: HTTPRequest, _ claim: COSClaim) -> HTTPRequest {
    guard claim.headers.contains("x-cos-security-token"), !request.headerFields.contains(.cosSecurityToken),
      let token = claim.sessionToken
    else { return request }
    var request = request
    request.headerFields.append(HTTPField(name: .cosSecurityToken, value: token.reveal()))
    return request
  }

  /// Returns whether a listed header is the session token in a URL, which the iOS SDK lists as a header even there.
  private func isTokenInURL(_ name: String, _ claim: COSClaim) -> Bool {
    mode == .compatible && claim.placement == .query && name == "x-cos-security-token"
      && claim.target.contains(WireText(name))
  }

  private static let tokenNames: Set<WireText> = ["x-cos-security-token", "x-ci-security-token"]

  private func checkParameters(of claim: COSClaim) throws(VerificationError) {
    var present: [WireText: Int] = [:]
    for parameter in claim.target.parameters { present[parameter.name.asciiLowercased, default: 0] += 1 }
    let listed = claim.parameters.reduce(into: [WireText: Int]()) { $0[WireText($1), default: 0] += 1 }
    for name in claim.parameters.map({ WireText($0) }) {
      let count = listed[name] ?? 0
      guard let there = present[name] else {
        throw .malformed("The parameter \(name) is listed as signed and not there.")
      }
      // The Go SDK lists a repeated name as often as it occurs, and the Android SDK lists it once.
      guard count == there || mode == .compatible && count == 1 else {
        throw .ambiguous("The parameter \(name) is listed \(count) times and there \(there) times.")
      }
    }
    for name in claim.target.parameters.map(\.name.asciiLowercased)
    where listed[name] == nil && !Self.isAuthorization(name) {
      if mode == .compatible, name == "x-cos-security-token" { continue }
      if mode == .strict || Self.hasEffect(name.string) {
        throw Self.unsigned("parameter \(name)")
      }
    }
  }

  /// Returns whether a lowercase name of a header or a parameter has an effect in the service.
  ///
  /// `pic-operations` makes an upload write other objects too; all of the vendor's SDKs sign it.
  private static func hasEffect(_ name: String) -> Bool {
    name == "pic-operations" || withBytes(of: name) { COSHeaderPolicy.hasEffectPrefix($0) }
  }

  private static func isAuthorization(_ name: WireText) -> Bool {
    name == "sign" || COSAuthorization.names.contains { name == WireText($0) }
  }

  private static func unsigned(_ what: String) -> VerificationError {
    VerificationError(.unsignedField, "The \(what) is not signed.", remedy: "Sign it: list it in the authorization.")
  }

  /// Returns the possible HTTP strings that the vendor's SDKs may have signed, starting with the documented form.
  func readings(of claim: COSClaim, _ request: HTTPRequest) -> [COSHTTPString] {
    let headers = Set(claim.headers)
    let standard = COSHTTPString(policy: .only(headers), parameterNames: claim.parameterNames)
    guard mode == .compatible else { return [standard] }
    let isPlain = claim.parameters.allSatisfy { $0.utf8.allSatisfy(Self.isPlain) } && hasDistinctParameters(claim)
    var readings =
      isPlain
      ? [standard]
      : COSSpelling.allCases.map { spelling in
        var reading = standard
        reading.spelling = spelling
        return reading
      }
    if let authority = request.authority, headers.contains("host") {
      // The Python SDK signs the host without its port.
      let host = hostWithoutPort(authority)
      if host != authority {
        readings += readings.map { reading in
          var reading = reading
          reading.host = host.asciiLowercased
          return reading
        }
      }
    }
    return readings
  }

  private func hasDistinctParameters(_ claim: COSClaim) -> Bool {
    let names = claim.target.parameters.map(\.name.asciiLowercased)
    return Set(names).count == names.count
  }

  /// Returns whether all SDKs encode and sort a given byte of a name in the same way.
  private static func isPlain(_ byte: UInt8) -> Bool {
    PercentEncoding.component.keeps(byte)
  }
}

extension COSClaim {
  /// The lowercase names of the query parameters that the signature lists, without duplicates.
  var parameterNames: Set<WireText> { Set(parameters.map { WireText($0) }) }

  /// Returns the lowercase names of the request's headers that the signature lists.
  func signedHeaders(of request: HTTPRequest) -> Set<String> {
    let listed = Set(headers)
    var names = Set(request.headerFields.map(\.name.canonicalName).filter { listed.contains($0) })
    if listed.contains("host") { names.insert("host") }
    return names
  }
}
