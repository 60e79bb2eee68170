/// Who answers a request to the services' port.
protocol ServiceDesk: Sendable {
  /// What it is counted as.
  var endpoint: LocalCloud.Endpoint { get }

  /// Does what is asked for.
  func answer(to call: InboundCall) throws(ServiceError) -> Answer

  /// The answer for an error, in the form of the service.
  func answer(for error: ServiceError, to call: InboundCall) -> Answer
}

/// A token service of a cloud.
protocol TokenService: ServiceDesk {
  /// Whether a call is one of this service's.
  func isAsked(by call: InboundCall) -> Bool
}
