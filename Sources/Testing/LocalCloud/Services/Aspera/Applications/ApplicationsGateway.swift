// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

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

  enum Problem: Error {
    case unsupportedGrantType, unknownClient, wrongSecret
    case malformed(String)
    case assertion(AssertionProblem)
  }

  let client: LocalCloud.OAuthClient
  let assertion: String
  let scope: String?

  init(_ call: InboundCall, _ clients: [LocalCloud.OAuthClient]) throws(Problem) {
    guard call.request.method == .post, call.parameters != nil else {
      throw .malformed("The body is not a form, or a parameter occurs twice.")
    }
    guard let type = call["grant_type"] else { throw .malformed("missing 'grant_type'") }
    guard type == Self.grantType else { throw .unsupportedGrantType }
    guard let assertion = call["assertion"] else { throw .malformed("missing 'assertion'") }
    let credential = try Self.basicCredential(call)
    guard let id = call["client_id"] ?? credential?.id else { throw .malformed("missing 'client_id'") }
    guard let client = clients.first(where: { $0.id.isIdentical(to: id) }) else { throw .unknownClient }
    if let credential {
      guard credential.id.isIdentical(to: id), credential.secret == client.secret else { throw .wrongSecret }
    } else if client.requiresSecret {
      throw .wrongSecret
    }
    self.client = client
    self.assertion = assertion
    scope = call["scope"]
  }

  /// Returns the ID and the secret in the `Authorization` header, encoded as in a form (RFC 6749, section 2.3.1).
  private static func basicCredential(_ call: InboundCall) throws(Problem) -> (id: String, secret: Secret)? {
    guard call.request.headerFields[.authorization] != nil else { return nil }
    guard let (scheme, base64) = call.authorizationParts, scheme == "basic",
      let credential = BasicCredential(base64: base64), let id = FormPair.read("\(credential.name)=")?.first?.name,
      let secret = FormPair.read("\(credential.password.reveal())=")?.first?.name
    else { throw .wrongSecret }
    return (id, Secret(secret))
  }
}

/// The reason why an assertion is refused, as a complete sentence.
struct AssertionProblem: Error, Equatable {
  let message: String
  private init(_ message: String) { self.message = message }
  static let unreadable = Self("The assertion is not a JSON Web Token.")
  static let unsupportedAlgorithm = Self("The algorithm of the assertion is not supported.")
  static let criticalParameters = Self("The assertion has critical header parameters, which are not supported.")
  static let wrongType = Self("The typ of the assertion is not JWT.")
  static let wrongSignature = Self("The signature of the assertion does not match a public key of the user.")
  static let unknownUser = Self("The user of the assertion does not exist.")
  static let expired = Self("Signature has expired: the exp of the assertion is in the past.")
  static let notYetValid = Self("The nbf of the assertion is in the future.")
  static let issuedLater = Self("The iat of the assertion is in the future.")
  static let tooLong = Self("The lifetime of the assertion is too long.")
  static let replayed = Self("The jti of the assertion was used before.")
  static func missing(_ claim: String) -> Self { Self("The assertion has no \(claim), or one of another type.") }
  static func wrong(_ claim: String) -> Self { Self("The \(claim) of the assertion is wrong.") }
}

/// The check of the assertions of JWT grants (RFC 7523, section 3), which remembers their IDs.
struct AssertionCheck: Sendable {
  private static let (usedIDLimit, idByteLimit) = (20_000, 255)
  let clients: [LocalCloud.OAuthClient]
  let users: [LocalCloud.OAuthUser]
  let rules: LocalCloud.GrantRules
  /// The required audience of assertions, or `nil` for the ID of the client.
  var audience: String?
  /// The text before the user's e-mail address in the subject of assertions.
  var subjectPrefix = ""
  let errorResponse: @Sendable (GrantRequest.Problem) -> ErrorResponse
  private let usedIDs = ExpiringSet(capacity: usedIDLimit)

  /// Verifies the JWT grant in a request, and returns it with the user in whose name its assertion was signed.
  func verifyGrant(in call: InboundCall) throws(ErrorResponse) -> (request: GrantRequest, user: LocalCloud.OAuthUser) {
    do throws(GrantRequest.Problem) {
      let request = try GrantRequest(call, clients)
      do throws(AssertionProblem) {
        return (request, try verifiedUser(of: request.assertion, clientID: request.client.id, at: call.date))
      } catch {
        throw .assertion(error)
      }
    } catch {
      throw errorResponse(error)
    }
  }

  private func verifiedUser(
    of assertion: String, clientID: String, at date: Timestamp
  ) throws(AssertionProblem) -> LocalCloud.OAuthUser {
    guard let token = JSONWebToken(assertion) else { throw .unreadable }
    guard let algorithm = token.algorithm, rules.algorithms.contains(algorithm) else { throw .unsupportedAlgorithm }
    guard token.header["crit"] == nil else { throw .criticalParameters }
    if let type = token.header["typ"], type.string?.asciiUppercased != "JWT" { throw .wrongType }
    let claims = token.claims
    let subject = try Self.text("sub", claims)
    let user = users.first { "\(subjectPrefix)\($0.email)".isIdentical(to: subject) }
    guard let user else { throw .unknownUser }
    let isSigned = user.publicKeys.contains { pem in
      (try? PublicKey(pem: pem)).map { token.isSigned(by: $0, with: algorithm) } ?? false
    }
    guard isSigned else { throw .wrongSignature }
    guard try Self.text("iss", claims).isIdentical(to: clientID) else { throw .wrong("iss") }
    // The audience is a string or a list of strings (RFC 7519, section 4.1.3).
    let audienceList = claims["aud"]?.array?.compactMap(\.string)
    let audiences = if let audienceList { audienceList } else { [try Self.text("aud", claims)] }
    guard audiences.contains(where: { $0.isIdentical(to: audience ?? clientID) }) else { throw .wrong("aud") }
    let expiration = try validExpiration(in: claims, at: date)
    let id = try Self.text("jti", claims)
    guard id.utf8.count <= Self.idByteLimit else { throw .wrong("jti") }
    guard usedIDs.insert("\(clientID) \(id)", until: expiration, at: date) else { throw .replayed }
    return user
  }

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

/// The meaning of an access token of one of the applications.
struct AccessToken: Sendable {
  static let capacity = 20_000
  let user: LocalCloud.OAuthUser
  let expiration: Timestamp
}

extension ExpiringTable<AccessToken> {
  func add(_ text: String, _ token: AccessToken, at date: Timestamp) {
    insert(token, for: text, until: token.expiration, at: date)
    TransferTokenTable.watcher.withLock { $0 }?(text)
  }

  func token(in call: InboundCall) -> AccessToken? {
    guard let (scheme, text) = call.authorizationParts, scheme == "bearer" else { return nil }
    return value(of: text)
  }
}
