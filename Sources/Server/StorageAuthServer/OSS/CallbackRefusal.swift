// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The reason why a request is not accepted as a callback of OSS.
public struct CallbackRefusal: Error, Sendable, Hashable, CustomStringConvertible {
  /// A code that identifies why a callback is refused.
  public enum Code: String, Sendable, Hashable {
    /// The method is not `POST`.
    case method
    /// The path or the query is too long, or makes the signed message ambiguous.
    case target
    /// The signature or the URL of the public key is missing, or occurs twice.
    case missingHeader
    /// The signature or the URL of the public key is not Base64, or has a wrong length.
    case malformedHeader
    /// The URL of the public key is not on a host that is accepted.
    case keyLocation
    /// The body is too large.
    case bodyTooLarge
    /// The public key cannot be fetched now.
    case keyUnavailable
    /// The signature belongs to another path, query or body, or to another key.
    case mismatch
  }

  /// The code that identifies the reason.
  public let code: Code

  /// A sentence that describes the reason.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The code and the message in one line.
  public var description: String { "\(code.rawValue): \(message)" }
}
