// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import CredentialSources
internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// The request handler of the port that the simulated Aspera on Cloud and the simulated Faspex 5 share.
struct ApplicationsGateway: APIGateway {
  let context: CloudContext
  let bodyByteLimit = 1024 * 1024
  let errorCodes = (tooLong: "too_long", failure: "internal")
  let onCloud: CloudAPI
  let faspex: FaspexAPI

  func endpoint(of request: HTTPRequest) -> LocalCloud.Endpoint { handler(at: InboundCall.path(of: request)).endpoint }

  func headError(of request: HTTPRequest) -> ErrorResponse? {
    InboundCall.path(of: request).isEmpty ? .unreadableTarget : nil
  }

  func handler(for call: InboundCall) -> any APIHandler { handler(at: call.path) }

  private func handler(at path: String) -> any APIHandler {
    path.hasBytePrefix("\(FaspexAPI.root)/") ? faspex : onCloud
  }
}

/// The parameters of a JWT grant in a request to a token endpoint (RFC 7523, section 2.1).
struct GrantRequest: Sendable {
  static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"

  /// The reason why a grant is refused.
  enum Problem: Error {
    case malformed(String)
    case grantType
    case client
    case secret
    case assertion(AssertionProblem)
  }

  let client: LocalCloud.OAuthClient
  let assertion: String
  let scope: String?

  /// Reads the parameters of a request, and authenticates the client.
  init(_ call: InboundCall, _ clients: [LocalCloud.OAuthClient]) throws(Problem) {
    guard call.request.method == .post, call.parameters != nil else {
      throw .malformed("The body is not a form, or a parameter occurs twice.")
    }
    guard let type = call["grant_type"] else { throw .malformed("missing 'grant_type'") }
    guard type == Self.grantType else { throw .grantType }
    guard let assertion = call["assertion"] else { throw .malformed("missing 'assertion'") }
    let basic = try Self.basic(call)
    guard let id = call["client_id"] ?? basic?.id else { throw .malformed("missing 'client_id'") }
    guard let client = clients.first(where: { $0.id.isIdentical(to: id) }) else { throw .client }
    if let basic {
      guard basic.id.isIdentical(to: id), basic.secret == client.secret else { throw .secret }
    } else if client.requiresSecret {
      throw .secret
    }
    self.client = client
    self.assertion = assertion
    scope = call["scope"]
  }

  /// Returns the ID and the secret in the `Authorization` header, encoded as in a form (RFC 6749, section 2.3.1).
  private static func basic(_ call: InboundCall) throws(Problem) -> (id: String, secret: Secret)? {
    guard call.request.headerFields[.authorization] != nil else { return nil }
    let words = call.authorization?.words(between: " ", atMost: 1).map(String.init) ?? []
    guard words.count == 2, words[0].asciiLowercased == "basic", let bytes = [UInt8](base64: words[1]),
      let pair = String(utf8: bytes)
    else { throw .secret }
    let parts = pair.parts(between: ":", atMost: 1).map { FormPair.read("\($0)=")?.first?.name }
    guard parts.count == 2, let id = parts[0], let secret = parts[1] else { throw .secret }
    return (id, Secret(secret))
  }
}

/// The reason why an assertion is refused, as a complete sentence.
struct AssertionProblem: Error, Equatable {
  let message: String

  private init(_ message: String) { self.message = message }

  static let unreadable = AssertionProblem("The assertion is not a JSON Web Token.")
  static let algorithm = AssertionProblem("The algorithm of the assertion is not supported.")
  static let critical = AssertionProblem("The assertion has critical header parameters, which are not supported.")
  static let type = AssertionProblem("The typ of the assertion is not JWT.")
  static let signature = AssertionProblem("The signature of the assertion does not match a public key of the user.")
  static let subject = AssertionProblem("The user of the assertion does not exist.")
  static let expired = AssertionProblem("Signature has expired: the exp of the assertion is in the past.")
  static let notYetValid = AssertionProblem("The nbf of the assertion is in the future.")
  static let issuedLater = AssertionProblem("The iat of the assertion is in the future.")
  static let tooLong = AssertionProblem("The lifetime of the assertion is too long.")
  static let replayed = AssertionProblem("The jti of the assertion was used before.")

  static func missing(_ claim: String) -> AssertionProblem {
    .init("The assertion has no \(claim), or one of another type.")
  }

  static func wrong(_ claim: String) -> AssertionProblem { .init("The \(claim) of the assertion is wrong.") }
}

/// A verifier of the assertions of JWT grants (RFC 7523, section 3), which remembers their IDs.
struct AssertionCheck: Sendable {
  /// The maximum number of remembered IDs, and of the bytes of each, which bound the memory of a long run.
  private static let usedIDLimit = 20_000
  private static let idByteLimit = 255

  let clients: [LocalCloud.OAuthClient]
  let users: [LocalCloud.OAuthUser]
  let rules: LocalCloud.GrantRules
  /// The required audience of assertions, or `nil` for the ID of the client.
  var audience: String?
  /// The text before the user's e-mail address in the subject of assertions.
  var subjectPrefix = ""
  /// Returns the application's response to a refused grant.
  let errorResponse: @Sendable (GrantRequest.Problem) -> ErrorResponse
  private let usedIDs = ExpiringSet(capacity: usedIDLimit)

  /// Returns the JWT grant in a request, with the user in whose name its assertion was signed.
  func grant(_ call: InboundCall) throws(ErrorResponse) -> (request: GrantRequest, user: LocalCloud.OAuthUser) {
    do throws(GrantRequest.Problem) {
      let request = try GrantRequest(call, clients)
      do throws(AssertionProblem) {
        return (request, try user(of: request.assertion, clientID: request.client.id, at: call.date))
      } catch {
        throw .assertion(error)
      }
    } catch {
      throw errorResponse(error)
    }
  }

  private func user(
    of assertion: String, clientID: String, at date: Timestamp
  ) throws(AssertionProblem) -> LocalCloud.OAuthUser {
    guard let token = JSONWebToken(assertion) else { throw .unreadable }
    guard let algorithm = token.algorithm, rules.algorithms.contains(algorithm) else { throw .algorithm }
    guard token.header["crit"] == nil else { throw .critical }
    if let type = token.header["typ"], type.string?.asciiUppercased != "JWT" { throw .type }
    let claims = token.claims
    let subject = try Self.text("sub", claims)
    guard let user = users.first(where: { "\(subjectPrefix)\($0.email)".isIdentical(to: subject) }) else {
      throw .subject
    }
    let isSigned = user.publicKeys.contains { pem in
      (try? PublicKey(pem: pem)).map { token.isSigned(by: $0, with: algorithm) } ?? false
    }
    guard isSigned else { throw .signature }
    guard try Self.text("iss", claims).isIdentical(to: clientID) else { throw .wrong("iss") }
    let list = claims["aud"]?.array?.compactMap(\.string)
    let audiences = if let list { list } else { [try Self.text("aud", claims)] }
    guard audiences.contains(where: { $0.isIdentical(to: audience ?? clientID) }) else { throw .wrong("aud") }
    let expiration = try validExpiration(in: claims, at: date)
    let id = try Self.text("jti", claims)
    guard id.utf8.count <= Self.idByteLimit else { throw .wrong("jti") }
    guard usedIDs.insert("\(clientID) \(id)", until: expiration, at: date) else { throw .replayed }
    return user
  }

  /// Checks the times of an assertion, and returns its expiration.
  private func validExpiration(in claims: JSONObject, at date: Timestamp) throws(AssertionProblem) -> Timestamp {
    let expiration = try Self.seconds("exp", claims)
    let (start, issued) = (try Self.seconds("nbf", claims), try Self.seconds("iat", claims))
    let now = date.unixSeconds
    guard expiration > now else { throw .expired }
    guard start <= now else { throw .notYetValid }
    guard issued <= now else { throw .issuedLater }
    let limit = issued.saturatingAdding(rules.longestAssertion.components.seconds)
    guard expiration <= limit else { throw .tooLong }
    return Timestamp(unixSeconds: expiration)
  }

  private static func text(_ name: String, _ claims: JSONObject) throws(AssertionProblem) -> String {
    guard let text = claims[name]?.string, !text.isEmpty else { throw .missing(name) }
    return text
  }

  private static func seconds(_ name: String, _ claims: JSONObject) throws(AssertionProblem) -> Int64 {
    guard let seconds = claims[name]?.integer else { throw .missing(name) }
    return Int64(seconds)
  }
}

/// The user and the expiration of an access token that an application issued.
struct AccessToken: Sendable {
  /// The maximum number of tokens that an application remembers, which bounds the memory of a long run.
  static let capacity = 20_000

  let user: LocalCloud.OAuthUser
  let expiration: Timestamp
}

extension ExpiringTable<AccessToken> {
  func add(_ text: String, _ token: AccessToken, at date: Timestamp) {
    insert(token, for: text, until: token.expiration, at: date)
    TransferTokenTable.watcher.withLock { $0 }?(text)
  }

  /// Returns the bearer token in a request, or `nil` if the request has none or an unknown one.
  func token(of call: InboundCall) -> AccessToken? {
    let words = call.authorization?.words(between: " ", atMost: 1).map(String.init) ?? []
    guard words.count == 2, words[0].asciiLowercased == "bearer" else { return nil }
    return value(of: words[1])
  }
}
