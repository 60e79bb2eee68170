// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import HTTPTypes
internal import StorageAuth

extension HTTPRequest {
  /// Creates an HTTP request from command-line arguments.
  ///
  /// - Parameters:
  ///   - method: The HTTP method.
  ///   - url: The URL, percent-encoded as it is sent.
  ///   - headers: The headers, as `Name: value`. A `Host` header replaces the URL's host.
  /// - Throws: A `ValidationError` if an argument is missing or malformed.
  init(method: String?, url: String?, headers: [String]) throws {
    guard let method = method.flatMap({ HTTPRequest.Method($0) }) else {
      throw ValidationError("The method is not valid in HTTP; use one such as GET.")
    }
    guard let url, let separator = url.firstRange(of: "://") else {
      throw ValidationError(
        "The URL needs a scheme and a host, such as https://photos.oss-cn-hangzhou.aliyuncs.com/cat.jpg.")
    }
    let rest = url[separator.upperBound...]
    let end = rest.utf8.firstIndex { "/?".utf8.contains($0) } ?? rest.endIndex
    guard end > rest.startIndex, !rest[..<end].utf8.contains(UInt8(ascii: "@")) else {
      throw ValidationError("The URL needs a host, and no user or password before it.")
    }
    var path = String(rest[end...])
    if !path.hasBytePrefix("/") { path = "/" + path }
    self.init(
      method: method, scheme: String(url[..<separator.lowerBound]), authority: String(rest[..<end]), path: path)
    for header in headers {
      let parts = header.parts(between: ":", atMost: 1)
      guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else {
        throw ValidationError("\"\(parts[0])\" is not a header as 'Name: value'.")
      }
      let value = String(parts[1].droppingBlanks)
      guard HTTPField.isValidValue(value) else {
        throw ValidationError("The value of \(name.rawName) contains a line break or a control character.")
      }
      if name.canonicalName == "host" {
        authority = value
      } else {
        headerFields.append(HTTPField(name: name, value: value))
      }
    }
  }
}
