// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StorageAuth

/// A request whose authorization a storage service rejected, with the means to find the string that its client signed.
///
/// The server knows the key, so it can tell whether the signature of the request fits another request: the one that the
/// client signed.
package struct RejectedSignature: Sendable {
  /// The storage service that rejected the request.
  package let provider: LocalCloud.Provider

  /// The head of the request as it arrived, with its authorization.
  package let request: HTTPRequest

  /// The head of the response.
  package let response: HTTPResponse

  /// The error document, also if the response to the request contains no body.
  package let document: [UInt8]

  /// The region of the service.
  package let region: String

  /// A Boolean value that indicates whether the signature was compared and does not match.
  package let isMismatch: Bool

  private let key: AccessKey?
  private let others: [AccessKey]
  private let fits: @Sendable (HTTPRequest, AccessKey) -> Bool

  init(
    _ provider: LocalCloud.Provider, _ request: HTTPRequest, _ response: HTTPResponse, _ document: [UInt8],
    region: String, isMismatch: Bool, key: AccessKey?, others: [AccessKey],
    fits: @escaping @Sendable (HTTPRequest, AccessKey) -> Bool
  ) {
    self.provider = provider
    self.request = request
    self.response = response
    self.document = document
    self.region = region
    self.isMismatch = isMismatch
    self.key = key
    self.others = others
    self.fits = fits
  }

  /// Returns whether the signature is valid for a request that differs from the one that arrived.
  package func fits(_ request: HTTPRequest) -> Bool { key.map { fits(request, $0) } ?? false }

  /// Returns the secret with which the request that arrived was signed, if it is a likely mistake, or `nil`.
  package var mistakenSecret: MistakenSecret? {
    guard let key else { return nil }
    let secret = key.secret.reveal()
    for (end, name) in [("\n", "a line feed"), ("\r\n", "a line end"), (" ", "a space"), ("\r", "a carriage return")]
    where fits(request, key.with(secret: "\(secret)\(end)")) {
      return .withEnd(name)
    }
    if fits(request, key.with(secret: key.id.string)) { return .accessKeyID }
    for other in others.prefix(Self.otherKeyLimit) where fits(request, key.with(secret: other.secret.reveal())) {
      return .otherAccount(other.id)
    }
    return nil
  }

  /// The maximum number of other accounts whose secrets are tried.
  private static let otherKeyLimit = 32

  /// A secret with which a client signed by mistake.
  package enum MistakenSecret: Sendable, Hashable {
    /// The secret of the key, and a character that does not belong to it.
    case withEnd(String)
    /// The secret of another account.
    case otherAccount(AccessKeyID)
    /// The ID of the key instead of its secret.
    case accessKeyID
  }
}

extension RejectedSignature: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The name of the service, without the request, which contains a signature and can contain a token.
  package var description: String { "RejectedSignature(\(provider.rawValue))" }

  /// The same as ``description``.
  package var debugDescription: String { description }

  /// A mirror without the request and the keys.
  package var customMirror: Mirror { Mirror(self, children: ["provider": provider]) }
}

extension AccessKey {
  fileprivate func with(secret: String) -> AccessKey {
    AccessKey(id: id, secret: Secret(secret), sessionToken: sessionToken, start: start, expiration: expiration)
  }
}
