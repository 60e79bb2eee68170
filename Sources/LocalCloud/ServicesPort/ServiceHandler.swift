// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A service on the port of the token services, the app server and the metadata.
protocol ServiceHandler: Sendable {
  /// The endpoint that calls are counted for.
  var endpoint: LocalCloud.Endpoint { get }

  /// Performs a call.
  func answer(to call: InboundCall) throws(RefusalAnswer) -> Answer

  /// Returns the response for an error, in the service's format.
  func answer(for error: RefusalAnswer, to call: InboundCall) -> Answer
}

/// A token service of a vendor.
protocol TokenServiceHandler: ServiceHandler {
  /// Returns whether a call is meant for this service.
  func isAsked(by call: InboundCall) -> Bool
}
