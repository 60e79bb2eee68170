public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

extension OSSVerifier {
  /// Headers and parameters that start like this have an effect on OSS, and its signatures cover all of them.
  public var controlPrefixes: [String] { ["x-oss-"] }

  /// The words in which OSS refuses, as "Error responses" of its documentation has them.
  public var refusals: RefusalVocabulary {
    RefusalVocabulary(
      subject: .host("HostId"), headHeader: .ossError,
      refusals: [
        .invalidToken: .init(.forbidden, "InvalidSecurityToken"),
        .keyExpired: .init(.forbidden, "SecurityTokenExpired"),
      ])
  }

  /// `x-oss-content-sha256`.
  public var payloadHashHeader: HTTPField.Name? { .ossContentSHA256 }

  /// Returns whether a request carries an authorization of OSS, well formed or not.
  public func recognizes(_ request: HTTPRequest) throws(VerificationError) -> Bool {
    try limits.check(request)
    if request.headerFields[fields: .authorization].contains(where: { Self.startsLikeOSS($0.value) }) { return true }
    let target = try RequestTarget(of: request, style: style, bucket: bucket, hosts: .oss)
    return target.parameters.contains { parameter in
      let name = parameter.name.utf8.map(asciiLowercased)
      return Self.authorizationNames.contains(name.span)
    }
  }

  /// Whether an Authorization header starts with `OSS`, whatever its case and version.
  private static func startsLikeOSS(_ value: String) -> Bool {
    value.utf8.lazy.map(asciiLowercased).starts(with: "oss".utf8)
  }

  /// The parameters of which any makes a URL a signed one, in lower case.
  private static let authorizationNames = NameTable([
    "ossaccesskeyid", "signature", "x-oss-signature", "x-oss-signature-version", "x-oss-credential",
  ])
}
