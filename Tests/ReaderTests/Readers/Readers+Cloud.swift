// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import COSAuth
import HTTPTypes
import OSSAuth
import StorageAuth
import StorageAuthTesting
import StorageCrypto

@testable import CredentialSources
@testable import LocalCloud

/// Readers of what LocalCloud parses of authenticated requests.
extension Reader {
  static let cloud = [operations, ranges, serviceCalls, answeredCalls, nodeCalls, setupOrders]

  private static let operations = Reader(name: "operations") { input, _ in
    guard let (request, _) = Samples.request(input) else { return false }
    var isRead = false
    for style in [AddressingStyle.path, .virtualHosted] {
      guard let target = try? RequestTarget(of: request, style: style) else { continue }
      for service in LocalCloud.Provider.allCases.map(\.service) {
        for isCopy in [false, true] {
          guard let operation = try? Operation(request.method, target, of: service, isCopy: isCopy) else { continue }
          isRead = true
          _ = service.policies.needs[operation]
        }
      }
      if let key = target.key { _ = NodePath("\(key)") }
    }
    return isRead
  }

  private static let ranges = Reader(name: "ranges") { input, _ in
    let text = text(input)
    for provider in LocalCloud.Provider.allCases { _ = try? NamedSource(text, of: provider.service) }
    var fields = HTTPFields()
    for name in [HTTPField.Name.ifMatch, .ifNoneMatch, .ifModifiedSince] { fields[name] = text }
    _ = Conditions(fields)
    guard let range = RequestedRange(text) else { return false }
    for byteCount in [0, 1, 100, Int64.max] {
      _ = range.lies(within: byteCount)
      guard let bytes = range.bytes(of: byteCount) else { continue }
      try require(bytes.lowerBound >= 0 && bytes.upperBound <= byteCount && !bytes.isEmpty, "a range is out of bounds")
    }
    return true
  }

  /// Parses calls like the token services, the metadata services and the node.
  private static let serviceCalls = Reader(name: "service-calls") { input, _ in
    guard let (request, body) = Samples.request(input) else { return false }
    let call = InboundCall(request, body: body, requestID: "1", at: Samples.now)
    let parameters = call.pairs.flatMap { CallParameters($0) }
    if let parameters { _ = call.names(parameters, inHeaders: "x-acs-") }
    _ = (call.path, call.authorization, ServiceAuthorization(call.authorization ?? ""))
    return parameters != nil
  }

  private static let configuration = LocalCloud.Configuration(
    accounts: [.init(Samples.key)], services: .init(identityTokens: [Secret(Samples.token)]),
    aspera: .init(users: [.init("node", password: Secret(Samples.secret))]), clock: { Samples.now })

  /// Lets the token services, the app server and the metadata respond to calls of untrusted clients.
  private static let answeredCalls = Reader(name: "answered-calls") { input, random in
    guard let (request, body) = Samples.request(input) else { return false }
    let issuer = Issuer(configuration.services, CloudContext(configuration))
    let desks: [any ServiceHandler] = [
      AlibabaSTS(issuer: issuer, identityTokens: configuration.services.identityTokens),
      TencentSTS(issuer: issuer, identityTokens: configuration.services.identityTokens),
      Metadata(issuer: issuer, requiresToken: true), AppServer(issuer: issuer, token: Secret(Samples.token)),
    ]
    let call = InboundCall(request, body: body, requestID: "1", at: Samples.now)
    let desk = random.pick(desks)
    do throws(ErrorResponse) {
      _ = try desk.response(to: call)
      return true
    } catch {
      try requireNoSecret(in: "\(desk.response(for: error, to: call))", of: input)
      return false
    }
  }

  /// Authenticates a caller of the node; authentication requires the secret of the key or the user.
  private static let nodeCalls = Reader(name: "node-calls") { input, _ in
    guard let (request, body) = Samples.request(input) else { return false }
    let authenticator = NodeAuthenticator(directory: NodeDirectory(configuration))
    let call = InboundCall(request, body: body, requestID: "1", at: Samples.now)
    _ = NodeRoute(request.method, call.path)
    if let query = try? NodeQuery(call) {
      _ = try? (
        query.page(of: [1, 2, 3], limit: 2), query.time("after_time"), query.pattern("name_glob")?.matches("a")
      )
    }
    do throws(ErrorResponse) {
      _ = try authenticator.caller(of: call)
    } catch {
      try requireNoSecret(in: "\(error)", of: input)
      return false
    }
    let proof = call.authorization.flatMap { [UInt8](base64: String($0.dropFirst(6))) } ?? []
    try require(text(proof).contains(Samples.secret), "a caller without a secret is authenticated")
    return true
  }

  private static let setupOrders = Reader(name: "setup-orders") { input, random in
    guard let document = try? JSONValue(parsing: input) else { return false }
    var isRead = false
    for element in document["transfer_requests"]?.array ?? [document] {
      guard let order = try? SetupRequest(random.pick([.send, .receive]), element, .root) else { continue }
      isRead = true
      if let lifetime = try? order.lifetime { _ = Samples.now.advanced(by: lifetime).iso8601 }
      _ = (try? EntryFilter(element), AccessLevels(element["access_levels"]))
      _ = (try? order.locations, order.answeredPaths, order.answeredRoot, order.publicKeys)
    }
    return isRead
  }
}
