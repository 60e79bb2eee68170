// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StorageAuth

/// A request whose authorization a storage service rejected, with the means to find the string that its client signed.
///
/// The server knows the key, so it can tell whether the signature fits another request: the one that was signed.
package struct RejectedSignature: Sendable {
  /// The storage service that rejected the request.
  package let provider: LocalCloud.Provider

  /// The head of the request as it arrived, with its authorization.
  package let request: HTTPRequest

  package let response: HTTPResponse

  /// The error document, also if the response to the request contains no body.
  package let document: [UInt8]

  package let region: String

  /// Whether the signature was compared and does not match.
  package let isMismatch: Bool

  /// The key that the request names, or `nil` if the server does not know it.
  package let key: AccessKey?

  /// The keys of the server's other accounts.
  package let others: [AccessKey]

  /// A closure that returns whether the signature of a request is valid for a key.
  package let fits: @Sendable (HTTPRequest, AccessKey) -> Bool
}

extension RejectedSignature: Redacted {
  /// The name of the service, without the request, which contains a signature and can contain a token.
  package var description: String { "RejectedSignature(\(provider.rawValue))" }
}
