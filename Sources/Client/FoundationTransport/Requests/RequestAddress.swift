// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import StorageAuth

/// The URL of a request that `URLSession` sends byte for byte.
struct RequestAddress {
  let scheme: String
  let authority: String
  let url: URL

  /// Creates the URL of a request.
  ///
  /// - Throws: `TransportError` with the code `invalidRequest` if a URL cannot have the request's authority or path, or
  ///   if the URL loading system would change them.
  init(_ request: HTTPRequest) throws(TransportError) {
    scheme = request.scheme ?? "https"
    authority = request.authority ?? ""
    let path = request.path ?? "/"
    func refuse(_ reason: String) -> TransportError {
      .unsendable(reason, to: request.authority ?? "")
    }
    guard scheme == "http" || scheme == "https" else { throw refuse("the scheme is neither http nor https.") }
    guard authority == authority.asciiLowercased else { throw refuse("the host contains uppercase letters.") }
    guard isHost(authority) else { throw refuse("the host is not valid.") }
    if authority.hasByteSuffix(scheme == "https" ? ":443" : ":80") || authority.hasByteSuffix(":") {
      throw refuse("the port is the default port, which is left out of the header Host.")
    }
    try request.checkPath()
    guard path.utf8.count <= Self.longestPath else {
      throw refuse("the path has \(path.utf8.count) bytes; at most \(Self.longestPath) are sent.")
    }
    guard !Self.hasDotSegment(path) else { throw refuse("a segment of the path is . or .., which is removed.") }
    let text = "\(scheme)://\(authority)\(path)"
    guard let url = URL(string: text, encodingInvalidCharacters: false) else { throw refuse("it has no valid URL.") }
    guard url.absoluteString.utf8.elementsEqual(text.utf8) else { throw refuse("URL would change the path.") }
    self.url = url
  }

  /// The maximum length of a path in bytes.
  private static let longestPath = 60_000

  /// Returns whether a segment of a path is `.` or `..`, with each dot literal or percent-encoded.
  private static func hasDotSegment(_ path: String) -> Bool {
    let segments = path.utf8.prefix { $0 != UInt8(ascii: "?") }.split(separator: UInt8(ascii: "/"))
    return segments.contains { segment in
      var rest = segment
      var dots = 0
      while !rest.isEmpty {
        if rest.first == UInt8(ascii: ".") {
          rest = rest.dropFirst()
        } else if rest.starts(with: "%2e".utf8) || rest.starts(with: "%2E".utf8) {
          rest = rest.dropFirst(3)
        } else {
          return false
        }
        dots += 1
      }
      return dots == 1 || dots == 2
    }
  }
}
