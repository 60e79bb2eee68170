// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The properties of a sent signature that the client needs to interpret an error response.
package struct SentSignature: Sendable {
  let generation: CredentialGeneration
  /// Whether a service can report the credential of the signature as expired.
  let isTemporary: Bool
  /// The expiration of the signature's credential, or `nil` if it is unknown.
  let expiration: Timestamp?
  /// The offset that was added to this machine's clock for the signing time.
  let clockOffset: Duration
}

/// An error response, with the information that the client can derive from it.
package struct Refusal: Sendable {
  package var error: ServiceError
  let signature: SentSignature
  /// Whether the connection was lost before the response gave a reason.
  var isTruncated = false
  /// Whether the response specified another location, which the client has adopted.
  var isMoved = false
  /// The time according to the service's clock, or `nil` if it is unknown or the response came from a cache.
  let serverTime: Timestamp?
  /// The time according to this machine's clock when the response arrived.
  let localTime: Timestamp

  package enum Outcome<Result> {
    case done(Result, SentSignature)
    case refused(Refusal)
    case lost(TransportError)
    /// The credential provider failed, and the request was not sent.
    case unsigned(CredentialError)
  }
}

extension Refusal {
  /// Creates a refusal from a response; a cached one, with an `Age` header, does not provide the service's time.
  init(_ error: ServiceError, in response: HTTPResponse, signature: SentSignature, localTime: Timestamp) {
    self.error = error
    self.signature = signature
    serverTime = response.headerFields[.age] == nil ? error.serverTime : nil
    self.localTime = localTime
  }

  /// Whether the service gave no reason for an error, as in responses to `HEAD`, which have no body.
  var isUnclear: Bool { !error.isExplained && (error.status == .forbidden || error.status == .badRequest) }

  /// Whether the service could accept a signature with another date.
  var isAboutTime: Bool { error.kind == .clockSkew || error.kind == .requestExpired }

  /// Whether the credential expired before the service received the request.
  ///
  /// The service's time is compared if the response contains it, and otherwise the local time. A
  /// credential also counts as expired in the second before its expiration, because services report whole seconds.
  var expiredOnTheWay: Bool {
    guard let expiration = signature.expiration else { return false }
    return expiration <= (serverTime ?? localTime.advanced(by: signature.clockOffset)).advanced(by: .seconds(1))
  }

  /// Whether the service could accept the request with another credential.
  var isAboutCredential: Bool {
    switch error.kind {
    case .credentialExpired, .invalidCredential, .unknownAccessKey: true
    // A signature that expires with its credential is reported as an expired request.
    case .requestExpired: signature.isTemporary
    default: false
    }
  }
}
