// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A service on the port that the token services, the app server and the instance metadata service share.
protocol ServiceHandler: Sendable {
  /// The endpoint whose statistics count the calls to the service.
  var endpoint: LocalCloud.Endpoint { get }

  func response(to call: InboundCall) throws(ErrorResponse) -> Answer

  /// Returns the HTTP response for an error, in the service's format.
  func response(for error: ErrorResponse, to call: InboundCall) -> Answer
}

/// A token service, which shares its path with those of other vendors.
protocol TokenServiceHandler: ServiceHandler {
  /// Returns whether a call is in the format of the service.
  func handles(_ call: InboundCall) -> Bool
}

/// The access key ID and session token that a call to a token service contains.
struct TokenClaim: SignatureClaim {
  let accessKeyID: AccessKeyID
  let sessionToken: Secret?

  init(_ accessKeyID: AccessKeyID, token: String?) {
    self.accessKeyID = accessKeyID
    sessionToken = token.map { Secret($0) }
  }
}
