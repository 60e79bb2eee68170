public import HTTPTypes
internal import StorageCrypto

extension RequestTarget {
  /// Reads what a request is about.
  ///
  /// A bucket is the first part of the path, or the first label of the host, or stands for the whole host, by the style
  /// of the address. `+` in a query stands for a blank, as the services read it; in a path it stands for itself.
  ///
  /// - Parameters:
  ///   - request: The request as it arrived: the path undecoded, the host as authority.
  ///   - style: Where the bucket's name is; if not given, in the path for an IP address or `localhost`, else in the host.
  ///   - bucket: The bucket of a custom domain; if not given, the host itself counts as its name.
  ///   - hosts: The hosts of the service without a bucket.
  /// - Throws: ``VerificationError/Code/malformed`` if the path or the query cannot be read in one way only.
  public init(
    of request: HTTPRequest, style: AddressingStyle? = nil, bucket: String? = nil, hosts: ServiceHosts = .unknown
  ) throws(VerificationError) {
    guard let authority = request.authority, isHost(authority) else {
      throw .unreadable("There is no host, or it is malformed.")
    }
    let wire = request.path ?? ""
    let parts = wire.parts(between: "?", atMost: 1)
    guard wire.utf8.first == UInt8(ascii: "/"), withBytes(of: wire, { isWellFormedURLText($0) }),
      let path = decoded(parts[0].dropFirst(), plusIsSpace: false)
    else { throw .unreadable("The path is not one that may travel in a URL.") }
    var parameters: [Parameter] = []
    for item in (parts.count > 1 ? parts[1] : "").words(between: "&") {
      let pair = item.parts(between: "=", atMost: 1)
      guard let name = decoded(pair[0], plusIsSpace: true) else {
        throw .unreadable("The name of a query parameter is not UTF-8.")
      }
      guard pair.count > 1 else {
        parameters.append(Parameter(name: name, value: nil))
        continue
      }
      guard let value = decoded(pair[1], plusIsSpace: true) else {
        throw .unreadable("The value of a query parameter is not UTF-8.")
      }
      parameters.append(Parameter(name: name, value: value))
    }
    switch style ?? AddressingStyle(authority: authority) {
    case .path:
      guard let slash = path.utf8.firstIndex(of: UInt8(ascii: "/")) else {
        self.init(bucket: path.isEmpty ? nil : path, key: nil, parameters: parameters)
        return
      }
      let key = path[path.utf8.index(after: slash)...]
      self.init(bucket: String(path[..<slash]), key: key.isEmpty ? nil : String(key), parameters: parameters)
    case .virtualHosted:
      let bucket = hosts.bucket(in: authority)
      guard bucket != nil || path.isEmpty else {
        throw .unreadable("The host names no bucket and the path names an object.")
      }
      self.init(bucket: bucket, key: path.isEmpty ? nil : path, parameters: parameters)
    case .customDomain:
      let bucket = bucket ?? hostWithoutPort(authority)
      self.init(bucket: bucket, key: path.isEmpty ? nil : path, parameters: parameters)
    }
  }
}

private func decoded(_ text: Substring, plusIsSpace: Bool) -> String? {
  String(text).percentDecodedBytes(plusIsSpace: plusIsSpace).flatMap { String(validating: $0, as: UTF8.self) }
}

extension VerificationError {
  /// The error for a request that cannot be read.
  package static func unreadable(_ message: String) -> VerificationError {
    VerificationError(.malformed, message, remedy: "Percent-encode the path and the query once, in UTF-8.")
  }
}
