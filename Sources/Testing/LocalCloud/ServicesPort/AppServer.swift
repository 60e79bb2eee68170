// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

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
    guard let cloud = cloud(of: call),
      let key = issuer.issueForFirstRole(
        of: cloud.provider, session: "app", lifetime: Self.lifetime, by: endpoint, at: call.date)
    else { throw ErrorResponse(.notFound, "EntityNotExist.Role", "The app server has no role for this service.") }
    return Answer(cloud.appServerDocument(key, call.requestID))
  }

  func response(for error: ErrorResponse, to call: InboundCall) -> Answer {
    guard let cloud = cloud(of: call) else { return Answer(error.status) }
    return Answer(cloud.errorDocument(error), error.status)
  }

  private func cloud(of call: InboundCall) -> KeyDocuments? {
    ServicesGateway.keyDocuments.first { $0.appServerPath == call.path }
  }

  private func requireAppToken(in call: InboundCall) throws(ErrorResponse) {
    guard let token else { return }
    if call.request.headerFields[.authorization] == nil { issuer.context.counters.count(endpoint) { $0.unsigned += 1 } }
    let givenTokens = (cloud(of: call)?.authorizationPrefixes ?? []).compactMap { prefix in
      call.authorization?.removingBytePrefix(prefix).map { Secret(String($0)) }
    }
    guard givenTokens.contains(token) else {
      throw ErrorResponse(.unauthorized, "Unauthorized", "The app token is wrong; send it as a bearer token.")
    }
  }
}

/// The formats in which a vendor's app server and instance metadata service return temporary credentials.
struct KeyDocuments: Sendable {
  let provider: LocalCloud.Provider
  let appServerPath: String
  /// The accepted prefixes of the app token in the `Authorization` header of requests to the app server.
  var authorizationPrefixes = ["Bearer "]
  /// The paths of the vendor's instance metadata with credentials, without the role name that follows.
  let metadataPaths: [String]
  /// The headers for metadata tokens (IMDSv2), or `nil` if the vendor's metadata service has no tokens.
  var metadataToken: MetadataToken?
  let appServerDocument: @Sendable (_ key: RevealedKey, _ requestID: String) -> JSONValue
  let errorDocument: @Sendable (ErrorResponse) -> JSONValue
  let metadataDocument: @Sendable (RevealedKey) -> JSONValue
}

/// The headers that a vendor's instance metadata service uses for metadata tokens (IMDSv2).
struct MetadataToken: Sendable {
  /// The name of the header that requests the lifetime of a new token, in seconds.
  let lifetimeHeader: String
  let header: String
  var rejectionStatus = HTTPResponse.Status.forbidden
}
