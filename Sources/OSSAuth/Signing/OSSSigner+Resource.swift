internal import HTTPTypes
internal import StorageAuth

extension OSSSigner {
  /// Where the bucket of a request comes from.
  func resource(of request: HTTPRequest) throws(SigningError) -> OSSResource {
    guard let authority = request.authority, isHost(authority) else {
      throw SigningError(
        .invalidRequest, "The request has no host, or a malformed one.",
        remedy: "Set its authority, such as photos.oss-cn-hangzhou.aliyuncs.com.")
    }
    switch style ?? AddressingStyle(authority: authority) {
    case .path:
      try checkBucket(inPathOf: request)
      return .inPath
    case .virtualHosted:
      if let bucket {
        // Without a style, a host that is not the vendor's own is taken for a custom domain, whatever its first label is.
        let isService = ServiceHosts.oss.isService(authority) && (style != nil || ServiceHosts.oss.own(authority))
        return isService ? .service : .bucket(bucket)
      }
      guard let label = ServiceHosts.oss.bucket(in: authority) else { return .service }
      guard ServiceHosts.oss.own(authority) else { throw Self.bucketNeeded(authority) }
      return .bucket(label)
    case .customDomain:
      guard let bucket else { throw Self.bucketNeeded(authority) }
      return .bucket(bucket)
    }
  }

  private func checkBucket(inPathOf request: HTTPRequest) throws(SigningError) {
    guard let bucket, let path = request.path else { return }
    let rest = path[path.utf8.dropFirst().startIndex...]
    if rest.isEmpty || rest.beginsWithByte("?") { return }
    let behind = rest.removingBytePrefix(bucket)
    guard let behind, behind.utf8.first.map({ "/?".utf8.contains($0) }) ?? true else {
      throw SigningError(
        .invalidRequest, "The path does not start with the bucket \"\(bucket)\", and the host has no room for it.",
        remedy: "Start the path with /\(bucket)/, or set the addressing style.")
    }
  }

  private static func bucketNeeded(_ host: String) -> SigningError {
    SigningError(
      .invalidConfiguration, "The host \(host) does not say which bucket it stands for, and the signature needs it.",
      remedy: "Name the bucket when the signer is made.")
  }
}
