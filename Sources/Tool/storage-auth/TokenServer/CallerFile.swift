// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Hummingbird
internal import StorageAuth
internal import Synchronization

/// The callers of a token server, and the file from which they are read.
final class CallerFile: Sendable {
  private let path: String
  private let list: Mutex<CallerList>

  /// Reads the callers from a file.
  ///
  /// - Throws: A `CallerList.Problem` or a `SecretFile.Problem` if the file cannot be used.
  init(path: String) throws {
    self.path = path
    list = Mutex(try CallerList(path: path))
  }

  /// Reads the file again, for the following requests.
  ///
  /// - Throws: A `CallerList.Problem` or a `SecretFile.Problem` if the file cannot be used. The previous callers then
  ///   remain.
  func reload() throws {
    guard path != "-" else {
      throw CallerList.Problem(description: "Standard input cannot be read again. Name a file with --callers.")
    }
    let replacement = try CallerList(path: path)
    list.withLock { $0 = replacement }
  }

  /// Returns a text in which the tokens of callers are masked.
  func masked(_ text: String) -> String { list.withLock(\.mask).applied(to: text) }

  /// Returns a path in which the tokens of callers are masked.
  ///
  /// The result is only a mask if a token is percent-encoded in an unusual way, or if the encoding could hide one: if it is
  /// not valid, or if it is encoded again and again.
  func masked(path: String) -> String {
    let text = masked(path)
    var encoded = text
    for _ in 0..<Self.encodings {
      guard let decoded = encoded.removingPercentEncoding, masked(decoded).isIdentical(to: decoded) else { break }
      if decoded.isIdentical(to: encoded) { return text }
      encoded = decoded
    }
    return Secret.mask
  }

  /// The number of times for which a path is decoded.
  private static let encodings = 4

  /// Returns the name of the caller that sent a request.
  ///
  /// - Throws: An `HTTPError` with the status 401 if the request does not contain a caller's token.
  func caller(of request: Request) throws -> String {
    try list.withLock(\.self).caller(of: request)
  }
}
