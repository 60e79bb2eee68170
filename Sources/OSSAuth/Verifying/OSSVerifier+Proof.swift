internal import HTTPTypes
internal import StorageAuth

extension OSSVerifier {
  /// Returns what a signature that was compared proves.
  func proof(
    of claim: OSSClaim, _ request: HTTPRequest, _ key: AccessKey, expiration: Timestamp?
  ) -> VerifiedRequest {
    VerifiedRequest(
      accessKeyID: key.id, placement: claim.placement, signsPlacement: true, target: claim.target,
      signedHeaders: claim.signedHeaders(of: request), signature: Secret(claim.signature), expiration: expiration,
      usableUntil: expiration ?? claim.instant.advanced(by: Self.clockTolerance),
      signsParameter: { claim.signs($0.name) })
  }
}

extension OSSClaim {
  /// The names of the headers that the signature covers.
  ///
  /// V1: <https://www.alibabacloud.com/help/en/oss/developer-reference/include-signatures-in-the-authorization-header>;
  /// V4: <https://www.alibabacloud.com/help/en/oss/developer-reference/recommend-to-use-signature-version-4>. The `Date`
  /// header is a line of the string to sign where there is no `x-oss-date`.
  func signedHeaders(of request: HTTPRequest) -> Set<String> {
    var names = Set(request.headerFields.map(\.name.canonicalName).filter { OSSV4Request.isSignedByRule($0) })
    if case .v4(let scheme) = scheme { names.formUnion(scheme.additionalHeaders) }
    if placement == .header, request.headerFields.contains(.date), !request.headerFields.contains(.ossDate) {
      names.insert("date")
    }
    return names
  }

  /// Whether the signature covers a parameter of the query; its name is decoded.
  ///
  /// V4 covers all of them but the signature. V1 covers sub-resources and, as the date line of a URL, `Expires`.
  func signs(_ name: WireText) -> Bool {
    switch scheme {
    case .v4: name != "x-oss-signature"
    case .v1: OSSSubresources().contains(decoded: name.string) || placement == .query && name == "Expires"
    }
  }
}
