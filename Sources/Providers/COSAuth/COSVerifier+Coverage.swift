// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

extension COSVerifier {
  /// Rejects an authorization or token parameter that is not lowercase, and so would be neither signed nor recognized.
  func checkParameterCase(of target: RequestTarget) throws(VerificationError) {
    for parameter in target.parameters {
      // A program may read the name with any case mapping of Unicode, such as that of U+212A (KELVIN SIGN) to `k` or
      // that of U+017F (LONG S) to `S`.
      let lowered = ByteExactString(parameter.name.string.uppercased().lowercased())
      let isReserved = Self.isAuthorization(lowered) || Self.tokenNames.contains(lowered)
      guard isReserved, parameter.name != lowered else { continue }
      throw VerificationError(
        .malformed, "The parameter \"\(parameter.name.string.onOneLine)\" is not in lower case.",
        remedy: "Spell the parameters of the authorization in lower case.")
    }
  }

  /// Rejects lists of headers that do not match the request, and unlisted headers that have an effect.
  func checkHeaders(of claim: COSClaim) throws(VerificationError) {
    let request = claim.request
    let listedNames = Set(claim.listedHeaders)
    guard listedNames.count == claim.listedHeaders.count else {
      throw .ambiguous("The list of signed headers names one twice.")
    }
    var presentCounts: [String: Int] = [:]
    for field in request.headerFields { presentCounts[field.name.canonicalName, default: 0] += 1 }
    for name in claim.listedHeaders where name != "host" {
      let count = presentCounts[name, default: 0]
      guard count == 1 || count == 0 && isTokenInURL(name, of: claim) else {
        throw count == 0
          ? .malformed("The header \(name) is listed as signed but missing.")
          : .ambiguous("The header \(name) is signed but occurs \(count) times.")
      }
    }
    for field in request.headerFields where !listedNames.contains(field.name.canonicalName) {
      let name = field.name.canonicalName
      if mode == .compatible, Self.tokenNames.contains(ByteExactString(name)) { continue }
      if Self.hasEffect(name) || mode == .strict && name == "content-length" {
        throw Self.unsignedField("header \(name)")
      }
    }
    if mode == .strict { try requireSignedHostAndKnownLength(of: claim) }
  }

  /// Rejects, in strict mode, an unsigned host and a body whose length no header states.
  private func requireSignedHostAndKnownLength(of claim: COSClaim) throws(VerificationError) {
    guard claim.listedHeaders.contains("host") else { throw Self.unsignedField("host") }
    guard !claim.request.headerFields.contains(.transferEncoding) else {
      throw VerificationError(
        .unsignedField, "The length of a body with Transfer-Encoding cannot be signed.",
        remedy: "Send the body with a Content-Length, and sign that.")
    }
  }

  /// Returns a decoder that refuses a body without `Content-Length` in strict mode, in which the length must be signed.
  func bodyDecoder(of request: HTTPRequest) -> (any BodyDecoder)? {
    guard mode == .strict, !request.headerFields.contains(.contentLength) else { return nil }
    return EmptyBodyDecoder(error: Self.unsignedField("length of the body"))
  }

  /// Rejects an upload's unsigned content headers in strict mode, after the signature, whose mismatch takes precedence.
  func checkContentHeaders(of claim: COSClaim) throws(VerificationError) {
    let request = claim.request
    guard mode == .strict, request.method == .put || request.method == .post else { return }
    for field in request.headerFields {
      let name = field.name.canonicalName
      if Self.contentHeaders.contains(name), !claim.listedHeaders.contains(name) {
        throw Self.unsignedField("header \(name)")
      }
    }
  }

  private static let contentHeaders: Set<String> = [
    "cache-control", "content-disposition", "content-encoding", "content-md5", "content-type", "expires",
  ]

  /// Returns whether a listed header is the session token in a URL, which the iOS SDK lists as a header even there.
  private func isTokenInURL(_ name: String, of claim: COSClaim) -> Bool {
    mode == .compatible && claim.placement == .query && name == "x-cos-security-token"
      && claim.target.contains(ByteExactString(name))
  }

  private static let tokenNames: Set<ByteExactString> = ["x-cos-security-token", "x-ci-security-token"]

  /// Rejects lists of parameters that do not match the URL, and unlisted parameters that have an effect.
  func checkParameters(of claim: COSClaim) throws(VerificationError) {
    let presentNames = claim.target.parameters.map(\.name.asciiLowercased)
    var presentCounts: [ByteExactString: Int] = [:]
    for name in presentNames { presentCounts[name, default: 0] += 1 }
    let listedNames = claim.listedParameters.map { ByteExactString($0) }
    let listedCounts = Dictionary(listedNames.map { ($0, 1) }, uniquingKeysWith: +)
    for name in listedNames {
      let listedCount = listedCounts[name, default: 0]
      guard let presentCount = presentCounts[name] else {
        throw .malformed("The parameter \(name) is listed as signed but missing.")
      }
      // The Go SDK lists a repeated name as often as it occurs, and the Android SDK lists it once.
      guard listedCount == presentCount || mode == .compatible && listedCount == 1 else {
        throw .ambiguous("The parameter \(name) is listed \(listedCount) times but occurs \(presentCount) times.")
      }
    }
    for name in presentNames where listedCounts[name] == nil && !Self.isAuthorization(name) {
      if mode == .compatible, name == "x-cos-security-token" { continue }
      if mode == .strict || Self.hasEffect(name.string) { throw Self.unsignedField("parameter \(name)") }
    }
  }

  /// Returns whether a header or parameter has an effect; `pic-operations` makes an upload write other objects too.
  private static func hasEffect(_ name: String) -> Bool {
    name == "pic-operations" || withBytes(of: name) { COSHeaderPolicy.hasEffectPrefix($0) }
  }

  private static func isAuthorization(_ name: ByteExactString) -> Bool {
    name == "sign" || COSAuthorization.fieldNames.contains { name == ByteExactString($0) }
  }

  private static func unsignedField(_ part: String) -> VerificationError {
    VerificationError(.unsignedField, "The \(part) is not signed.", remedy: "Sign it: list it in the authorization.")
  }
}
