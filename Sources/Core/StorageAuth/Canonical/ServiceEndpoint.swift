// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
internal import StorageCrypto

/// The endpoint of a storage service: the scheme, the host, the port, and the position of the bucket name.
///
/// ```swift
/// let endpoint = try ServiceEndpoint("http://127.0.0.1:9000")
/// let request = try endpoint.request(.get, bucket: "photos", key: "cat.jpg")   // http://127.0.0.1:9000/photos/cat.jpg
/// ```
public struct ServiceEndpoint: Sendable, Hashable {
  /// The URL scheme of the endpoint, `https` or `http`.
  public let scheme: String
  /// The endpoint's host in lowercase, with the port if the URL specified a port.
  public let authority: String
  /// The position of the bucket name in URLs of this endpoint.
  public let style: AddressingStyle
  /// The maximum length of the service's object keys, in bytes of UTF-8.
  public var keyByteLimit: Int

  /// Parses an endpoint from a URL that consists of a scheme, a host and a port; `https://` is optional.
  ///
  /// - Parameters:
  ///   - url: A URL without a path, such as `https://oss-cn-hangzhou.aliyuncs.com`.
  ///   - style: The position of the bucket name, by default the path for an IP address or `localhost`, else the host.
  ///   - keyByteLimit: The maximum length of the service's object keys, in bytes of UTF-8.
  /// - Throws: A ``SigningError`` with the code `invalidConfiguration` if the string is not such a URL.
  public init(_ url: String, style: AddressingStyle? = nil, keyByteLimit: Int = 1023) throws(SigningError) {
    var hostAndPort = url[...]
    if let separator = url.firstRange(of: "://") {
      scheme = url[..<separator.lowerBound].asciiLowercased
      hostAndPort = url[separator.upperBound...]
    } else {
      scheme = "https"
    }
    authority = (hostAndPort.removingByteSuffix("/") ?? hostAndPort).asciiLowercased
    self.style = style ?? AddressingStyle(authority: authority)
    self.keyByteLimit = keyByteLimit
    guard scheme == "https" || scheme == "http", isHost(authority) else {
      // The message omits the URL, which may contain a password or a signature.
      throw SigningError(
        .invalidConfiguration, "The endpoint is not a URL that consists only of a scheme, a host and a port.",
        remedy: "Write it like https://oss-cn-hangzhou.aliyuncs.com or http://127.0.0.1:9000.")
    }
  }

  /// Whether the endpoint's host always refers to this machine.
  public var isLoopback: Bool { LoopbackHost.isNamed(by: authority) }

  /// Creates an unsigned request for a service, a bucket or an object, and percent-encodes its path and query.
  ///
  /// - Parameters:
  ///   - method: The HTTP method.
  ///   - bucket: The bucket name, or `nil` for a request to the service.
  ///   - key: The object key without percent-encoding, or `nil` for a request to the bucket.
  ///   - parameters: The query parameters without percent-encoding.
  ///   - headers: The header fields of the request.
  /// - Throws: A ``SigningError`` (`invalidRequest`) for an invalid bucket name, one with dots for the host, an empty
  ///   key, a key with a NUL character or more than ``keyByteLimit`` bytes, or a key without a bucket.
  public func request(
    _ method: HTTPRequest.Method, bucket: String?, key: String? = nil, parameters: [RequestTarget.Parameter] = [],
    headers: HTTPFields = [:]
  ) throws(SigningError) -> HTTPRequest {
    try validate(bucket: bucket, key: key)
    var host = authority
    if style == .virtualHosted, let bucket { host = "\(bucket).\(authority)" }
    let path = String(writing: { writer in
      writer.append(UInt8(ascii: "/"))
      if style == .path, let bucket {
        writer.append(bucket)
        writer.append(UInt8(ascii: "/"))
      }
      if let key { writer.append(percentEncoding: key, .path) }
      for (index, parameter) in parameters.enumerated() {
        writer.append(UInt8(ascii: index == 0 ? "?" : "&"))
        writer.append(percentEncoding: parameter.name)
        guard let value = parameter.value else { continue }
        writer.append(UInt8(ascii: "="))
        writer.append(percentEncoding: value)
      }
    })
    return HTTPRequest(method: method, scheme: scheme, authority: host, path: path, headerFields: headers)
  }

  private func validate(bucket: String?, key: String?) throws(SigningError) {
    if let bucket, !isBucketName(bucket) {
      guard isDottedBucketName(bucket) else {
        throw .invalidRequest(
          "\"\(bucket)\" is not the name of a bucket.",
          remedy: "Use 3 to 63 lower-case letters, digits and hyphens, with a letter or a digit at both ends.")
      }
      if style == .virtualHosted {
        throw .invalidRequest(
          "The bucket name \"\(bucket)\" contains dots, so that a host cannot start with it.",
          remedy: "Use the addressing style .path.")
      }
    }
    guard let key else { return }
    guard bucket != nil else {
      throw .invalidRequest("The request has a key and no bucket.", remedy: "Name the bucket that the object is in.")
    }
    if key.isEmpty { throw .emptyKey }
    if key.utf8.count > keyByteLimit {
      let byteCount = key.utf8.count
      throw .invalidRequest("The object key has \(byteCount) bytes.", remedy: "Use at most \(keyByteLimit) bytes.")
    }
    if key.utf8.contains(0) {
      throw .invalidRequest("The object key contains a NUL character.", remedy: "Remove it.")
    }
  }
}

/// Returns whether a string is a valid bucket name without dots: of OSS, of S3, or of COS with the account number.
package func isBucketName(_ name: String) -> Bool { (3...63).contains(name.utf8.count) && name.isScopePart() }

/// Returns whether a string is an S3 bucket name with dots, which no host contains: a certificate matches one label.
package func isDottedBucketName(_ name: String) -> Bool {
  let labels = name.parts(between: ".")
  let isAddress = labels.count == 4 && labels.allSatisfy { $0.utf8.allSatisfy(\.isASCIIDigit) }
  guard (3...63).contains(name.utf8.count), labels.count > 1, !isAddress else { return false }
  // A label may be shorter than a bucket name, which has three characters or more: the prefix adds two.
  return labels.allSatisfy { !$0.isEmpty && !$0.beginsWithByte("-") && isBucketName("aa\($0)") }
}

/// Returns whether a string is a valid bucket name of S3, with or without dots.
package func isBucketNameWithOrWithoutDots(_ name: String) -> Bool { isBucketName(name) || isDottedBucketName(name) }

/// A style of bucket URLs, which determines the position of the bucket name.
public enum AddressingStyle: String, Sendable, Hashable, CaseIterable {
  /// The bucket name is part of the host: `https://bucket.oss-cn-hangzhou.aliyuncs.com/key`.
  case virtualHosted
  /// The bucket name is part of the path, by default for IP addresses and `localhost`: `http://127.0.0.1/bucket/key`.
  case path
  /// The host is a bucket's custom domain (CNAME), so that the URL has no bucket name: `https://img.example.com/key`.
  case customDomain

  /// Creates the default style for a host, with or without a port: ``path`` for an IP address or `localhost`, otherwise
  /// ``virtualHosted``.
  public init(authority: String) { self = isAddressOrLocalhost(authority) ? .path : .virtualHosted }
}
