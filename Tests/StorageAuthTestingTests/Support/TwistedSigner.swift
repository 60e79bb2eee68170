// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth

/// A signer and presigner that behaves like another one, except for one replaced operation.
struct TwistedSigner<Base: Signer<HTTPRequest, AccessKey> & Presigner<AccessKey>>: Signer, Presigner {
  typealias Request = HTTPRequest
  typealias SigningCredential = AccessKey

  /// The replacement of header signing: changes the result, or the inputs.
  typealias Sign =
    @Sendable (
      _ base: Base, _ request: inout HTTPRequest, _ key: AccessKey, _ context: SigningContext
    ) throws(SigningError) -> Void

  /// The replacement of presigning.
  typealias Presign =
    @Sendable (
      _ base: Base, _ request: HTTPRequest, _ key: AccessKey, _ duration: Duration, _ context: SigningContext
    ) throws(SigningError) -> PresignedRequest

  let base: Base
  var signing: Sign = { base, request, key, context throws(SigningError) in
    try base.sign(&request, with: key, in: context)
  }
  var presigning: Presign = { base, request, key, duration, context throws(SigningError) in
    try base.presign(request, with: key, validFor: duration, in: context)
  }
  var shift = Duration.zero

  func requiredValidity(from date: Timestamp) -> Timestamp {
    base.requiredValidity(from: date).advanced(by: shift)
  }

  func requiredValidity(from date: Timestamp, validFor duration: Duration) -> Timestamp {
    base.requiredValidity(from: date, validFor: duration).advanced(by: shift)
  }

  func sign(_ request: inout HTTPRequest, with key: AccessKey, in context: SigningContext) throws(SigningError) {
    try signing(base, &request, key, context)
  }

  func presign(
    _ request: HTTPRequest, with key: AccessKey, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> PresignedRequest {
    try presigning(base, request, key, duration, context)
  }
}
