// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The simulated app server, which issues temporary credentials in the formats that the vendors' SDKs parse.
struct AppServer: ServiceHandler {
  let endpoint = LocalCloud.Endpoint.appServer
  private let issuer: Issuer
  private let clouds: [any KeyDocuments]
  private let token: Secret?

  init(_ issuer: Issuer, _ clouds: [any KeyDocuments] = ServicesGateway.clouds, token: Secret?) {
    self.issuer = issuer
    self.clouds = clouds
    self.token = token
  }

  func answer(to call: InboundCall) throws(RefusalAnswer) -> Answer {
    guard call.request.method == .get || call.request.method == .post else {
      throw .methodNotAllowed(call.request.method.rawValue)
    }
    try checkCaller(call)
    guard let cloud = cloud(of: call), let role = issuer.firstRole(of: cloud.provider),
      let lifetime = issuer.lifetime(nil, default: min(1800, role.maximumDuration.components.seconds), in: 1...43_200)
    else {
      throw RefusalAnswer(.notFound, "EntityNotExist.Role", "The app server has no role for this service.")
    }
    let key = issuer.issue(
      for: cloud.provider, role: role, session: "app", lasting: lifetime, by: endpoint, at: call.date)
    return Answer(cloud.appServerDocument(key, requestID: call.requestID))
  }

  func answer(for error: RefusalAnswer, to call: InboundCall) -> Answer {
    guard let cloud = cloud(of: call) else { return Answer(error.status) }
    return Answer(cloud.appServerDocument(for: error), error.status)
  }

  private func cloud(of call: InboundCall) -> (any KeyDocuments)? {
    clouds.first { $0.appServerPath == call.path }
  }

  /// Checks the app token in a request.
  ///
  /// - Throws: `Unauthorized` if an app token is configured and the request does not contain it.
  private func checkCaller(_ call: InboundCall) throws(RefusalAnswer) {
    guard let token else { return }
    if call.request.headerFields[.authorization] == nil { issuer.context.counters.count(endpoint) { $0.unsigned += 1 } }
    let given = (cloud(of: call)?.authorizationPrefixes ?? []).compactMap { prefix in
      call.authorization?.removingBytePrefix(prefix).map { Secret(String($0)) }
    }
    guard given.contains(token) else {
      throw RefusalAnswer(.unauthorized, "Unauthorized", "The app token is wrong; send it as a bearer token.")
    }
  }
}
