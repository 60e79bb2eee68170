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
    let method = try Method(argument: method)
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
    try add(headers)
  }

  /// Adds headers from command-line arguments.
  ///
  /// - Parameter headers: The headers, as `Name: value`. A `Host` header replaces the URL's host.
  /// - Throws: A `ValidationError` if a header is malformed.
  mutating func add(_ headers: [String]) throws {
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

extension HTTPRequest.Method {
  /// Creates an HTTP method from a command-line argument.
  ///
  /// - Throws: A `ValidationError` if the argument is missing, malformed, or not in capital letters.
  init(argument: String?) throws {
    guard let argument, let method = Self(argument) else {
      throw ValidationError("The method is not valid in HTTP; use one such as GET.")
    }
    let capitals = argument.uppercased()
    guard argument.utf8.elementsEqual(capitals.utf8) else {
      throw ValidationError(
        "Methods are case-sensitive, and \(argument) is none that a service knows: write \(capitals).")
    }
    self = method
  }
}
