// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
package import StorageCrypto

/// The target of a request: the bucket, the object key and the query parameters, percent-decoded once.
public struct RequestTarget: Sendable, Hashable {
  /// The bucket name, or `nil` for a request to the service rather than to a bucket.
  public let bucket: ByteExactString?
  /// The decoded object key, or `nil` for a request to a bucket or to the service.
  public let key: ByteExactString?
  /// The decoded query parameters in the order in which they appear in the URL; a parameter without `=` has no value.
  public let parameters: [Parameter]

  /// Whether the lookup of a parameter ignores the letter case of its name.
  ///
  /// COS signs the names in lowercase, so that its signature is valid for each spelling. OSS and S3 sign them unchanged.
  package private(set) var ignoresCase = false

  /// A decoded query parameter.
  public struct Parameter: Sendable, Hashable {
    /// The decoded parameter name.
    public let name: ByteExactString
    /// The decoded parameter value, or `nil` if the parameter has no `=`.
    public let value: ByteExactString?

    /// Creates a query parameter; the parameters are the properties.
    public init(name: String, value: String?) {
      self.name = ByteExactString(name)
      self.value = value.map { ByteExactString($0) }
    }
  }

  /// Creates a request target; the parameters are the properties.
  public init(bucket: String?, key: String?, parameters: [Parameter]) {
    self.bucket = bucket.map { ByteExactString($0) }
    self.key = key.map { ByteExactString($0) }
    self.parameters = parameters
  }

  /// The same bucket and key without parameters; it has no names for which ``ignoresCase`` could matter.
  package var withoutParameters: RequestTarget {
    RequestTarget(bucket: bucket?.string, key: key?.string, parameters: [])
  }

  /// The same target, with lookups that ignore the letter case of the parameter names.
  package var ignoringCase: RequestTarget {
    var target = self
    target.ignoresCase = true
    return target
  }

  /// Returns the same target with other parameters.
  func replacingParameters(with parameters: [Parameter]) -> RequestTarget {
    var target = RequestTarget(bucket: bucket?.string, key: key?.string, parameters: parameters)
    target.ignoresCase = ignoresCase
    return target
  }

  /// Returns the value of the first query parameter with a name, or `nil` if the target has no such parameter.
  ///
  /// For a parameter without `=`, the result is empty. In a request that was verified for COS, case is ignored.
  public subscript(_ name: ByteExactString) -> ByteExactString? { firstParameter(named: name).map { $0.value ?? "" } }

  /// Returns whether the target has a query parameter with a name.
  public func contains(_ name: ByteExactString) -> Bool { firstParameter(named: name) != nil }

  private func firstParameter(named name: ByteExactString) -> Parameter? {
    guard ignoresCase else { return parameters.first { $0.name == name } }
    let name = name.asciiLowercased
    return parameters.first { $0.name.asciiLowercased == name }
  }
}

extension RequestTarget.Parameter: Redacted {
  /// The parameter as `name=value`, with the value masked if it is a session token or a signature.
  public var description: String {
    guard let value else { return name.string }
    return "\(name)=\(SecretName.isSecret(name.string) ? Secret.mask : value.string)"
  }
}

extension RequestTarget {
  /// Parses the target of an HTTP request.
  ///
  /// The addressing style determines whether the bucket is the first segment of the path, the first label of the host,
  /// or the whole host. As in the services, a `+` stands for a space in the query, but not in the path.
  ///
  /// - Parameters:
  ///   - request: The request as received, with the path still percent-encoded and the host as the authority.
  ///   - style: The position of the bucket name; `nil` means the path for an IP address or `localhost`, else the host.
  ///   - bucket: The bucket that a custom domain stands for, or `nil` for the host without its port.
  ///   - hosts: The rule that recognizes the service's own hosts, which contain no bucket name.
  /// - Throws: A ``VerificationError`` (`malformed`) if host, path or query cannot be parsed in exactly one way.
  public init(
    of request: HTTPRequest, style: AddressingStyle? = nil, bucket: String? = nil, hosts: ServiceHosts = .unknown
  ) throws(VerificationError) {
    guard let authority = request.authority, isHost(authority) else {
      throw .unreadable("The request has no host, or a malformed one.")
    }
    let (path, parameters) = try withBytes(of: request.path ?? "") { bytes throws(VerificationError) in
      try parsePathAndQuery(bytes)
    }
    switch style ?? AddressingStyle(authority: authority) {
    case .path:
      let bucket = path.isEmpty ? nil : String(path.bytes(before: "/"))
      let key = path.bytes(after: "/")
      self.init(bucket: bucket, key: key.isEmpty ? nil : String(key), parameters: parameters)
    case .virtualHosted:
      let bucketInHost = hosts.bucket(in: authority)
      guard bucketInHost != nil || path.isEmpty else {
        throw .unreadable("The host contains no bucket, and the path contains an object key.")
      }
      self.init(bucket: bucketInHost, key: path.isEmpty ? nil : path, parameters: parameters)
    case .customDomain:
      self.init(bucket: bucket ?? hostWithoutPort(authority), key: path.isEmpty ? nil : path, parameters: parameters)
    }
  }

  /// Returns the value of a query parameter that may appear at most once: empty without `=`, `nil` if it is missing.
  ///
  /// - Parameter name: The parameter name, which is compared case-sensitively.
  /// - Throws: A ``VerificationError`` with the code `ambiguous` if the parameter appears twice.
  public func uniqueValue(for name: ByteExactString) throws(VerificationError) -> String? {
    var value: ByteExactString?
    for parameter in parameters where parameter.name == name {
      guard value == nil else { throw .ambiguous("The parameter \(name) appears twice.") }
      value = parameter.value ?? ""
    }
    return value?.string
  }

  /// Returns whether the query has a parameter with one of the given lowercase names, in any letter case.
  package func hasParameter(among names: NameTable) -> Bool {
    parameters.contains { $0.name.utf8.map(asciiLowercased).withElements { names.contains($0) } }
  }
}

/// Splits a request's path at its delimiters, and then decodes the parts: the path without its first slash, and the query.
private func parsePathAndQuery(
  _ wire: Span<UInt8>
) throws(VerificationError) -> (path: String, parameters: [RequestTarget.Parameter]) {
  let pathEnd = wire.index(of: UInt8(ascii: "?"), in: wire.indices) ?? wire.count
  guard !wire.isEmpty, wire[0] == UInt8(ascii: "/"), isWellFormedURLText(wire),
    let path = decoded(wire, 1..<pathEnd, plusIsSpace: false)
  else { throw .unreadable("The path is not valid in a URL.") }
  var parameters: [RequestTarget.Parameter] = []
  var start = pathEnd + 1
  while start < wire.count {
    let end = wire.index(of: UInt8(ascii: "&"), in: start..<wire.count) ?? wire.count
    if start < end { parameters.append(try parseParameter(wire, start..<end)) }
    start = end + 1
  }
  return (path, parameters)
}

private func parseParameter(
  _ wire: Span<UInt8>, _ range: Range<Int>
) throws(VerificationError) -> RequestTarget.Parameter {
  let equalsIndex = wire.index(of: UInt8(ascii: "="), in: range)
  guard let name = decoded(wire, range.lowerBound..<(equalsIndex ?? range.upperBound), plusIsSpace: true) else {
    throw .unreadable("The name of a query parameter is not UTF-8.")
  }
  guard let equalsIndex else { return RequestTarget.Parameter(name: name, value: nil) }
  guard let value = decoded(wire, equalsIndex + 1..<range.upperBound, plusIsSpace: true) else {
    throw .unreadable("The value of a query parameter is not UTF-8.")
  }
  return RequestTarget.Parameter(name: name, value: value)
}

/// Percent-decodes a range of a well-formed path and query, or returns `nil` if the decoded bytes are not UTF-8.
private func decoded(_ wire: Span<UInt8>, _ range: Range<Int>, plusIsSpace: Bool) -> String? {
  let encodedBytes = wire.extracting(range)
  let isEscaped = encodedBytes.indices.contains { index in
    encodedBytes[index] == UInt8(ascii: "%") || plusIsSpace && encodedBytes[index] == UInt8(ascii: "+")
  }
  let encodedText = String(writing: { $0.append(encodedBytes) })
  return isEscaped ? encodedText.percentDecoded(plusIsSpace: plusIsSpace) : encodedText
}

extension Span<UInt8> {
  fileprivate func index(of byte: UInt8, in range: Range<Int>) -> Int? {
    for index in range where self[index] == byte { return index }
    return nil
  }
}

extension VerificationError {
  package static func unreadable(_ message: String) -> VerificationError {
    VerificationError(.malformed, message, remedy: "Percent-encode the path and the query once, in UTF-8.")
  }
}
