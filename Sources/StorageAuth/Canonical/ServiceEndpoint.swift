public import HTTPTypes
internal import StorageCrypto

/// Where a service is reached: scheme, host, port, and where the bucket's name goes.
///
/// ```swift
/// let endpoint = try ServiceEndpoint("http://127.0.0.1:9000")
/// let request = try endpoint.request(.get, bucket: "photos", key: "cat.jpg")   // http://127.0.0.1:9000/photos/cat.jpg
/// ```
public struct ServiceEndpoint: Sendable, Hashable {
  /// `https` or `http`.
  public let scheme: String

  /// The host, and the port where it is not the scheme's own.
  public let authority: String

  /// Where the bucket's name goes.
  public let style: AddressingStyle

  /// The most bytes that a key of the service has in UTF-8.
  public var keyByteLimit: Int

  /// Reads an endpoint from a URL without a path; `https://` may be left out.
  ///
  /// - Parameters:
  ///   - url: The URL, such as `https://oss-cn-hangzhou.aliyuncs.com`.
  ///   - style: Where the bucket's name goes; if not given, the path for an IP address or `localhost`, else the host.
  ///   - keyByteLimit: The most bytes that a key of the service has in UTF-8.
  /// - Throws: ``SigningError/Code/invalidConfiguration`` if the text is not such a URL.
  public init(_ url: String, style: AddressingStyle? = nil, keyByteLimit: Int = 1023) throws(SigningError) {
    var rest = url[...]
    if let separator = url.firstRange(of: "://") {
      scheme = url[..<separator.lowerBound].asciiLowercased
      rest = url[separator.upperBound...]
    } else {
      scheme = "https"
    }
    rest = rest.removingByteSuffix("/") ?? rest
    authority = rest.asciiLowercased
    self.style = style ?? AddressingStyle(authority: authority)
    self.keyByteLimit = keyByteLimit
    guard scheme == "https" || scheme == "http", isHost(authority) else {
      // A password or a signature may be in it.
      throw SigningError(
        .invalidConfiguration, "The endpoint is not a URL of nothing but a scheme, a host and a port.",
        remedy: "Write it like https://oss-cn-hangzhou.aliyuncs.com or http://127.0.0.1:9000.")
    }
  }

  /// Whether the host can only be this machine.
  public var isLoopback: Bool { isLoopbackHost(authority) }

  /// Makes a request for a bucket or an object, with everything encoded that has to be.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - bucket: The bucket; nothing for the service itself.
  ///   - key: The object key, as it is: not encoded; nothing for the bucket itself.
  ///   - parameters: The query parameters, as they are: not encoded.
  ///   - headers: The headers.
  /// - Returns: The request, not yet signed.
  /// - Throws: ``SigningError/Code/invalidRequest`` for a bucket or a key that no service accepts: an empty one, one with
  ///   a NUL, a key over ``keyByteLimit``, a key without a bucket.
  public func request(
    _ method: HTTPRequest.Method, bucket: String?, key: String? = nil, parameters: [RequestTarget.Parameter] = [],
    headers: HTTPFields = [:]
  ) throws(SigningError) -> HTTPRequest {
    try check(bucket: bucket, key: key)
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

  private func check(bucket: String?, key: String?) throws(SigningError) {
    if let bucket, !isBucketName(bucket), style != .path || !isDottedBucketName(bucket) {
      throw SigningError(
        .invalidRequest, "\"\(bucket)\" is not the name of a bucket.",
        remedy: "Use 3 to 63 lower-case letters, digits and hyphens, with a letter or a digit at both ends.")
    }
    guard let key else { return }
    if bucket == nil {
      throw SigningError(
        .invalidRequest, "There is a key and no bucket.", remedy: "Name the bucket that the object is in.")
    }
    if key.isEmpty {
      throw SigningError(
        .invalidRequest, "The object key is empty.", remedy: "Name an object, or leave the key out for the bucket.")
    }
    if key.utf8.count > keyByteLimit {
      throw SigningError(
        .invalidRequest, "The object key has \(key.utf8.count) bytes in UTF-8.",
        remedy: "Use at most \(keyByteLimit) bytes.")
    }
    if key.utf8.contains(0) {
      throw SigningError(.invalidRequest, "The object key holds a NUL character.", remedy: "Take it out of the key.")
    }
  }
}

/// Whether a text can be the name of a bucket of OSS or, with the number of the account at its end, of COS.
package func isBucketName(_ name: String) -> Bool {
  let bytes = name.utf8
  func isEnd(_ byte: UInt8?) -> Bool {
    byte.map { $0 != UInt8(ascii: "-") } ?? false
  }
  return (3...63).contains(bytes.count) && isEnd(bytes.first) && isEnd(bytes.last)
    && bytes.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
      default: false
      }
    }
}

/// Whether a text can be the name of a bucket of S3 with dots between its labels; such a name goes into the path, because
/// a certificate covers one label.
package func isDottedBucketName(_ name: String) -> Bool {
  let labels = name.parts(between: ".")
  func isNumber(_ label: Substring) -> Bool {
    label.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
  guard (3...63).contains(name.utf8.count), labels.count > 1, labels.count != 4 || !labels.allSatisfy(isNumber) else {
    return false
  }
  // A label may be shorter than a name; with a prefix it is as long as one.
  return labels.allSatisfy { !$0.isEmpty && !$0.beginsWithByte("-") && isBucketName("aa\($0)") }
}

/// Whether a text can be the name of a bucket of a service that allows dots in it.
package func isBucketNameWithOrWithoutDots(_ name: String) -> Bool { isBucketName(name) || isDottedBucketName(name) }
