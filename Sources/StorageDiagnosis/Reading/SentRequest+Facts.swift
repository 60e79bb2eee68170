internal import COSAuth
internal import HTTPTypes
internal import OSSAuth
internal import StorageAuth

extension SentRequest {
  /// Whether the bucket is signed without being in the path.
  var bucketIsOutsidePath: Bool {
    guard service.provider == .oss else { return false }
    return (service.style ?? AddressingStyle(authority: request.authority ?? "")) != .path
  }

  /// Whether a query parameter is in the URL as it was sent.
  func hasParameter(_ name: String) -> Bool { parameterNames.contains(name) }

  /// The id of the key.
  var accessKeyID: AccessKeyID? {
    switch claim {
    case .oss(let claim): claim.accessKeyID
    case .cos(let claim): claim.accessKeyID
    case nil: nil
    }
  }

  /// Whether a session token came along where the service looks for one.
  var hasToken: Bool {
    switch claim {
    case .oss(let claim): claim.sessionToken != nil
    case .cos(let claim): claim.sessionToken != nil
    case nil: !tokens.isEmpty
    }
  }

  /// Whether there is a signature in the headers and one in the URL.
  var isSignedTwice: Bool {
    let names = ["Signature", "x-oss-signature", "q-signature", "sign"]
    return request.headerFields.contains(.authorization) && names.contains(where: hasParameter)
  }

  /// Something that has an effect in COS and is not on the list of what is signed.
  ///
  /// - Parameter countsToken: Whether that can be the session token, which the service takes unsigned for the most part.
  func unsignedField(countsToken: Bool) -> LinePart? {
    guard case .cos(let claim) = claim else { return nil }
    let headers = request.headerFields.map(\.name.canonicalName).filter { !claim.signedHeaders.contains($0) }
    let parameters = parameterNames.map { $0.lowercased() }.filter { !claim.signedParameters.contains($0) }
    let fields = headers.map { LinePart.header($0) } + parameters.map { .parameter($0) }
    return fields.first { $0.hasEffectInCOS && (countsToken || !$0.isToken) }
  }

  private var parameterNames: [String] {
    ((request.path ?? "").cutOnce(at: "?").behind ?? "").cut(at: "&").filter { !$0.isEmpty }.map {
      let written = $0.cutOnce(at: "=").before
      return written.unescaped ?? written
    }
  }

  /// When the request was signed, where it says so; of a COS signature the start.
  var signedAt: Timestamp? {
    switch claim {
    case .oss(let claim): claim.signedAt
    case .cos(let claim): claim.window.start
    case nil: nil
    }
  }

  /// When the signature ends, where it says so.
  var end: Timestamp? {
    switch claim {
    case .oss(let claim): claim.expiration
    case .cos(let claim): claim.window.end
    case nil: nil
    }
  }
}

extension LinePart {
  /// Whether COS or its data processing acts on it.
  fileprivate var hasEffectInCOS: Bool {
    switch self {
    case .header(let name), .parameter(let name):
      ["x-cos-", "x-ci-"].contains { name.hasPrefix($0) } || self == .header("pic-operations")
    default: false
    }
  }
}
