/// Who answers a request to the services' port.
protocol ServiceDesk: Sendable {
  /// What it is counted as.
  var endpoint: LocalCloud.Endpoint { get }

  /// Does what is asked for.
  func answer(to call: InboundCall) throws(ServiceError) -> Answer

  /// The answer for an error, in the form of the service.
  func answer(for error: ServiceError, to call: InboundCall) -> Answer
}
