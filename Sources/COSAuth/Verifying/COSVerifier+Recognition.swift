public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

extension COSVerifier {
  /// Headers and parameters that start like this have an effect on COS and its data processing.
  public var controlPrefixes: [String] { ["x-cos-", "x-ci-", "pic-operations"] }

  /// The words in which COS refuses, as "Error codes" of its documentation has them.
  public var refusals: RefusalVocabulary { RefusalVocabulary(canonicalRequestElement: "FormatString") }

  /// Returns whether a request carries an authorization of COS, well formed or not.
  public func recognizes(_ request: HTTPRequest) throws(VerificationError) -> Bool {
    try limits.check(request)
    if request.headerFields[fields: .authorization].contains(where: { Self.startsLikeCOS($0.value) }) { return true }
    let target = try RequestTarget(of: request, style: style, bucket: bucket, hosts: .cos)
    return target.parameters.contains { parameter in
      let name = parameter.name.utf8.map(asciiLowercased)
      return Self.authorizationNames.contains(name.span)
    }
  }

  /// Whether an Authorization header starts with one of the fields of an authorization, whatever its case.
  private static func startsLikeCOS(_ value: String) -> Bool {
    value.utf8.lazy.map(asciiLowercased).starts(with: "q-".utf8)
  }

  /// The parameters of which any makes a URL a signed one, in lower case.
  private static let authorizationNames = NameTable(COSAuthorization.names + ["sign"])
}
