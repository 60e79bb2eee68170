// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CloudCredentials
internal import HTTPTypes
internal import StorageAuth
internal import StorageJSON

/// The simulated token service of Alibaba Cloud (STS 2015-04-01).
///
/// It supports AssumeRole and AssumeRoleWithOIDC, with JSON responses. Pages: "AssumeRole", "AssumeRoleWithOIDC".
struct AlibabaSTS: TokenServiceHandler {
  static let version = "2015-04-01"
  private static let shortestLife: Int64 = 900
  private static let policyByteLimit = 2048

  let endpoint = LocalCloud.Endpoint.sts
  let issuer: Issuer
  let nonces = ExpiringSet(capacity: 100_000)
  private let identityTokens: [Secret]

  init(_ issuer: Issuer, identityTokens: [Secret]) {
    self.issuer = issuer
    self.identityTokens = identityTokens
  }

  /// Returns whether a call contains a header of the Alibaba Cloud token service.
  ///
  /// This service also handles all calls that no other token service recognizes.
  func isAsked(by call: InboundCall) -> Bool { call.header("x-acs-action") != nil }

  func answer(to call: InboundCall) throws(RefusalAnswer) -> Answer {
    guard let pairs = call.pairs, let parameters = CallParameters(pairs) else {
      throw RefusalAnswer(
        .badRequest, "InvalidParameter", "A parameter occurs twice or cannot be decoded: send each once, encoded.")
    }
    let names = call.names(parameters, inHeaders: "x-acs-")
    guard let action = names.action else { throw .missing("Action") }
    guard let version = names.version, version == Self.version else {
      throw RefusalAnswer(.badRequest, "InvalidVersion", "Specified parameter Version is not valid.")
    }
    switch action {
    case "AssumeRole": return try assumeRole(call, parameters)
    case "AssumeRoleWithOIDC": return try assumeRoleWithOIDC(call, parameters)
    default:
      throw RefusalAnswer(
        .notFound, "InvalidAction.NotFound", "Specified api is not found, please check your url and method.")
    }
  }

  func answer(for error: RefusalAnswer, to call: InboundCall) -> Answer {
    let document: JSONValue = [
      "RequestId": .string(call.requestID), "HostId": .string(call.request.authority ?? ""),
      "Code": .string(error.code),
      "Message": .string(error.message),
      "Recommend": .string("https://api.aliyun.com/troubleshoot?q=\(error.code)&product=Sts"),
    ]
    var answer = Answer(document, error.status)
    answer.headers.set("x-acs-request-id", call.requestID)
    return answer
  }

  private func assumeRole(_ call: InboundCall, _ parameters: CallParameters) throws(RefusalAnswer) -> Answer {
    let caller = try authenticate(call, parameters)
    let order = try order(parameters)
    let isTrusted = order.role.trustedKeys.map { $0.contains(caller) } ?? true
    guard isTrusted, issuer.lets(caller, take: order.role, at: call.date) else {
      throw RefusalAnswer(
        .forbidden, "NoPermission", "You are not authorized to do this action. You should be authorized by RAM.")
    }
    return answer(issue(order, call), order, call)
  }

  private func assumeRoleWithOIDC(_ call: InboundCall, _ parameters: CallParameters) throws(RefusalAnswer) -> Answer {
    guard let provider = parameters["OIDCProviderArn"] else { throw .missing("OIDCProviderArn") }
    guard let given = parameters["OIDCToken"] else { throw .missing("OIDCToken") }
    guard identityTokens.contains(Secret(given)) else {
      throw RefusalAnswer(.badRequest, "AuthenticationFail.OIDCToken.Invalid", "This OIDC token is invalid.")
    }
    let order = try order(parameters)
    let token: JSONValue = ["Subject": "localcloud", "Issuer": .string(provider)]
    return answer(issue(order, call), order, call, identity: token)
  }

  // MARK: Parameters

  private struct Order {
    let role: LocalCloud.Role
    let session: String
    let policy: SessionPolicy?
    let lifetime: Duration
  }

  private func order(_ parameters: CallParameters) throws(RefusalAnswer) -> Order {
    guard let arn = parameters["RoleArn"] else { throw .missing("RoleArn") }
    guard let session = parameters["RoleSessionName"] else { throw .missing("RoleSessionName") }
    guard (2...64).contains(session.utf8.count), session.utf8.allSatisfy(isAllowedInSessionName) else {
      throw .malformed("RoleSessionName")
    }
    let policy = try parameters["Policy"].map(Self.policy)
    guard LocalCloud.Role(arn).provider == .oss else { throw .malformed("RoleArn") }
    guard let role = issuer.role(arn) else {
      throw RefusalAnswer(.notFound, "EntityNotExist.Role", "The specified Role not exists: \(arn).")
    }
    let longest = max(role.maximumDuration.components.seconds, Self.shortestLife)
    guard
      let lifetime = issuer.lifetime(
        parameters["DurationSeconds"], default: min(3600, longest), in: Self.shortestLife...longest)
    else {
      throw RefusalAnswer(
        .badRequest, "InvalidParameter.DurationSeconds",
        "The Min/Max value of DurationSeconds is \(Self.shortestLife)/\(longest) seconds.")
    }
    return Order(role: role, session: session, policy: policy, lifetime: lifetime)
  }

  private static func policy(_ text: String) throws(RefusalAnswer) -> SessionPolicy {
    guard text.utf8.count <= policyByteLimit else {
      throw RefusalAnswer(
        .badRequest, "InvalidParameter.PolicySize",
        "The size of Policy must be smaller than \(policyByteLimit) bytes.")
    }
    do {
      return try SessionPolicy(text, in: .ram)
    } catch {
      throw RefusalAnswer(
        .badRequest, "InvalidParameter.PolicyGrammar",
        "The parameter Policy has not passed grammar check. \(error.reason)")
    }
  }

  // MARK: Responses

  private func issue(_ order: Order, _ call: InboundCall) -> IssuedKey {
    issuer.issue(
      for: .oss, role: order.role, session: order.session, policy: order.policy, lasting: order.lifetime, by: endpoint,
      at: call.date)
  }

  private func answer(
    _ key: IssuedKey, _ order: Order, _ call: InboundCall, identity: JSONValue? = nil
  ) -> Answer {
    let document: JSONValue = [
      "RequestId": .string(call.requestID),
      "AssumedRoleUser": [
        "Arn": .string("\(order.role.arn)/\(order.session)"),
        "AssumedRoleId": .string("300000000000000000:\(order.session)"),
      ],
      "Credentials": [
        "AccessKeyId": .string(key.id), "AccessKeySecret": .string(key.secret), "SecurityToken": .string(key.token),
        "Expiration": .string(key.end.iso8601),
      ],
    ]
    var members = document.object ?? JSONObject()
    members["OIDCTokenInfo"] = identity
    var answer = Answer(.object(members))
    answer.headers.set("x-acs-request-id", call.requestID)
    return answer
  }
}

/// Returns whether a byte is allowed in a role session name: a letter, a digit or one of `.@-_`.
private func isAllowedInSessionName(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
    UInt8(ascii: "0")...UInt8(ascii: "9"):
    true
  default: ".@-_".utf8.contains(byte)
  }
}

extension RefusalAnswer {
  /// Creates the error response for a missing parameter.
  fileprivate static func missing(_ name: String) -> RefusalAnswer {
    RefusalAnswer(.badRequest, "Missing\(name)", "\(name) is mandatory for this action.")
  }

  /// Creates the error response for a malformed parameter.
  fileprivate static func malformed(_ name: String) -> RefusalAnswer {
    RefusalAnswer(.badRequest, "InvalidParameter.\(name)", "The parameter \(name) is wrongly formed.")
  }
}
