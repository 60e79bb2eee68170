// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The simulated app server, which issues temporary credentials in the formats that the vendors' SDKs parse.
struct AppServer: SynchronousAPIHandler {
  /// The lifetime of credentials, in seconds, unless the role allows only a shorter one.
  private static let lifetime: Int64 = 1800

  let endpoint = LocalCloud.Endpoint.appServer
  let issuer: Issuer
  let token: Secret?

  func response(to call: InboundCall) throws(ErrorResponse) -> Answer {
    guard call.request.method == .get || call.request.method == .post else {
      throw .methodNotAllowed(call.request.method.rawValue)
    }
    try requireAppToken(in: call)
    // The gateway passes on only calls with the path of a format, so that a missing role is the only reason to fail.
    guard let format = format(of: call),
      let key = issuer.issueForFirstRole(
        of: format.provider, session: "app", lifetime: Self.lifetime, by: endpoint, at: call.date)
    else { throw ErrorResponse(.notFound, "EntityNotExist.Role", "The app server has no role for this service.") }
    return Answer(format.appServerDocument(key, call.requestID))
  }

  func response(for error: ErrorResponse, to call: InboundCall) -> Answer {
    guard let format = format(of: call) else { return Answer(error.status) }
    return Answer(format.errorDocument(error), error.status)
  }

  private func format(of call: InboundCall) -> KeyServiceFormat? {
    ServicesGateway.keyServiceFormats.first { $0.appServerPath == call.path }
  }

  /// Throws if the server requires an app token and the call does not contain it; counts a call without authorization.
  private func requireAppToken(in call: InboundCall) throws(ErrorResponse) {
    guard let token else { return }
    // `call.authorization` would also be `nil` for a repeated header.
    if call.request.headerFields[.authorization] == nil { issuer.context.counters.count(endpoint) { $0.unsigned += 1 } }
    let prefixes = format(of: call)?.authorizationPrefixes ?? []
    let possibleTokens = prefixes.compactMap { prefix in
      call.authorization?.removingBytePrefix(prefix).map { Secret(String($0)) }
    }
    guard possibleTokens.contains(token) else {
      throw ErrorResponse(.unauthorized, "Unauthorized", "The app token is wrong; send it as a bearer token.")
    }
  }
}
