// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import CloudCredentials
internal import HTTPTypes
internal import StorageAuth
internal import StorageJSON

/// The simulated API of Faspex 5: its token endpoint, and sending and receiving packages.
///
/// Paths, members and error codes are those of IBM's description of the API.
struct FaspexAPI: ApplicationHandler {
  /// The path of Faspex on its host.
  static let root = "/aspera/faspex"

  let endpoint = LocalCloud.Endpoint.faspex

  let faspex: LocalCloud.Faspex?
  let aspera: AsperaContext
  /// The simulated Node API, which issues the transfer tokens of packages.
  let node: NodeAPI
  private let check: AssertionCheck
  private let tokens = AccessTokenTable()

  init(_ faspex: LocalCloud.Faspex?, _ aspera: AsperaContext, _ node: NodeAPI) {
    self.faspex = faspex
    self.aspera = aspera
    self.node = node
    check = AssertionCheck(faspex?.users ?? [], faspex?.rules ?? LocalCloud.GrantRules())
  }

  func answer(to call: InboundCall) async throws -> Answer {
    let names = call.path.words(between: "/").map(String.init).dropFirst(2)
    guard let faspex else { throw RefusalAnswer.faspexRoute }
    if Array(names) == ["auth", "token"] { return try token(call, faspex) }
    guard names.starts(with: ["api", "v5"]) else { throw RefusalAnswer.faspexRoute }
    guard call.request.headerFields[.authorization] != nil else {
      throw RefusalAnswer(.unauthorized, "2002", "Add an HTTP authorization header to your request.")
    }
    guard let entry = tokens.entry(of: call) else {
      throw RefusalAnswer(.unauthorized, "2001", "Check that you provided the correct credentials and try again.")
    }
    guard entry.end > call.date else { throw RefusalAnswer(.unauthorized, "2005", "Your token has expired.") }
    return try packages(call, names.dropFirst(2).map { $0 }, as: entry.user, faspex)
  }

  func answer(for error: RefusalAnswer, to call: InboundCall) -> Answer {
    Answer(
      [
        "status": .string(error.status.reasonPhrase), "code": .string(error.code), "message": .string(error.message),
        "trace": .string(call.requestID),
      ], error.status)
  }

  private func token(_ call: InboundCall, _ faspex: LocalCloud.Faspex) throws -> Answer {
    let request: GrantRequest
    do throws(GrantRequest.Problem) {
      request = try GrantRequest(call, faspex.clients)
    } catch {
      throw RefusalAnswer(ofFaspex: error)
    }
    let user: LocalCloud.OAuthUser
    do throws(AssertionProblem) {
      user = try check.user(
        of: request.assertion, clientID: request.client.id, audience: request.client.id, subjectPrefix: "user:",
        at: call.date)
    } catch {
      throw RefusalAnswer(ofFaspex: error)
    }
    let end = call.date.advanced(by: faspex.rules.tokenLifetime)
    let token = Self.accessToken(for: user, request.client, until: end, at: call.date)
    tokens.add(token, AccessTokenTable.Entry(user: user, scope: nil, end: end), at: call.date)
    aspera.cloud.counters.count(endpoint) { $0.issued += 1 }
    return Answer(
      [
        "token_type": "bearer", "access_token": .string(token),
        "expiration_date": .string(end.iso8601), "refresh_token": "not_supported",
      ], .created)
  }

  /// Returns an access token in the form of a JSON Web Token, whose third part is random.
  ///
  /// The server looks the token up in its table, so the third part needs no signature.
  private static func accessToken(
    for user: LocalCloud.OAuthUser, _ client: LocalCloud.OAuthClient, until end: Timestamp, at date: Timestamp
  ) -> String {
    let claims: JSONValue = [
      "sub": .string("user:\(user.email)"), "aud": .string(client.id),
      "exp": .number(JSONNumber(end.unixSeconds)), "iat": .number(JSONNumber(date.unixSeconds)),
    ]
    let header: JSONValue = ["alg": "RS256", "typ": "JWT"]
    return "\(header.serialized.base64URL).\(claims.serialized.base64URL).\(RandomText.letters(64))"
  }
}

extension RefusalAnswer {
  static let faspexRoute = RefusalAnswer(
    .notFound, "1002",
    "Check that your API request matches the API specification. This route is not a valid endpoint.")

  fileprivate init(ofFaspex problem: GrantRequest.Problem) {
    switch problem {
    case .malformed(let message): self.init(.badRequest, "1003", message)
    case .grantType: self.init(.badRequest, "1003", "The grant_type is not supported.")
    case .client: self.init(.forbidden, "2015", "Try another ID.")
    case .secret: self.init(.badRequest, "2026", "The client secret does not match.")
    }
  }

  fileprivate init(ofFaspex problem: AssertionProblem) {
    switch problem {
    case .subject: self.init(.forbidden, "2016", "This client is not allowed to impersonate the subject you provided.")
    case .signature: self.init(.forbidden, "2017", "The public key of the subject does not verify the JWT payload.")
    default: self.init(.badRequest, "2019", "The JWT payload does not match the specification. \(problem.message)")
    }
  }
}
