/// Who answers a request to the services' port.
protocol ServiceHandler: Sendable {
  /// What it is counted as.
  var endpoint: LocalCloud.Endpoint { get }

  /// Does what is asked for.
  func answer(to call: InboundCall) throws(RefusalAnswer) -> Answer

  /// The answer for an error, in the form of the service.
  func answer(for error: RefusalAnswer, to call: InboundCall) -> Answer
}

/// A token service of a cloud.
protocol TokenServiceHandler: ServiceHandler {
  /// Whether a call is one of this service's.
  func isAsked(by call: InboundCall) -> Bool
}
