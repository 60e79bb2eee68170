// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth
internal import StorageCrypto

/// The authentication of callers of the Node API.
///
/// Basic authorization has the credentials of a node user or access key. With a bearer token, the header
/// `X-Aspera-AccessKey` contains the ID of the access key.
struct NodeAuthenticator: Sendable {
  let directory: NodeDirectory

  func caller(of call: InboundCall) throws(ErrorResponse) -> NodeCaller {
    guard call.authorization != nil else {
      throw Self.refusal("Send one Authorization header: Basic, or Bearer with X-Aspera-AccessKey.")
    }
    let parts = call.authorizationParts
    guard let (scheme, credential) = parts else { throw Self.refusal("The Authorization header cannot be read.") }
    switch scheme {
    case "basic": return try basicCaller(credential)
    case "bearer": return try bearerCaller(credential, call.header("x-aspera-accesskey"), at: call.date)
    default: throw Self.refusal("The Node API supports only Basic and Bearer.")
    }
  }

  private func basicCaller(_ base64: String) throws(ErrorResponse) -> NodeCaller {
    guard let credential = BasicCredential(base64: base64) else {
      throw Self.refusal("The Basic authorization is not the Base64 of a name and a password.")
    }
    if directory.isUser(credential.name, credential.password) { return .user(credential.name) }
    if let key = directory.accessKey(credential.name), key.secret == credential.password { return .accessKey(key) }
    throw Self.refusal("The name or the password is wrong.")
  }

  private func bearerCaller(
    _ token: String, _ accessKey: String?, at date: Timestamp
  ) throws(ErrorResponse) -> NodeCaller {
    guard let accessKey else { throw Self.refusal("A bearer token needs the access key in X-Aspera-AccessKey.") }
    do {
      return try directory.bearerCaller(token, for: accessKey, at: date)
    } catch {
      throw Self.refusal(error.message)
    }
  }

  private static func refusal(_ message: String) -> ErrorResponse { .node(.unauthorized, message) }
}

extension InboundCall {
  /// The scheme of the `Authorization` header in lowercase, and the text after it, or `nil` if one of them is missing.
  var authorizationParts: (scheme: String, credential: String)? {
    let words = authorization?.words(between: " ", maxSplits: 1).map(String.init) ?? []
    return words.count == 2 ? (words[0].asciiLowercased, words[1]) : nil
  }
}

struct BasicCredential {
  let name: String
  let password: Secret

  init?(base64: String) {
    guard let bytes = [UInt8](base64: base64), let pair = String(utf8: bytes) else { return nil }
    let parts = pair.parts(between: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return nil }
    name = parts[0]
    password = Secret(parts[1])
  }
}

/// An authenticated caller of the Node API: a node user by name, an access key, or a user with a bearer token.
enum NodeCaller: Sendable {
  case user(String)
  case accessKey(LocalCloud.NodeAccessKey)
  case bearer(LocalCloud.NodeAccessKey, BearerUser)

  var accessKey: LocalCloud.NodeAccessKey? {
    switch self {
    case .user: nil
    case .accessKey(let key), .bearer(let key, _): key
    }
  }

  /// The creator of what a caller with Basic authorization creates, as IBM's description of the Node API names it.
  static let administratorID = "ASPERA_ACCESS_KEY_ADMIN"

  var userID: String {
    switch self {
    case .user(let name): name
    case .accessKey: Self.administratorID
    case .bearer(_, let user): user.id
    }
  }

  /// The folder at which the caller's paths begin: the root of the access key, or that of the node for a node user.
  var root: NodePath {
    get throws(ErrorResponse) {
      guard let path = NodePath(accessKey?.path ?? "/") else {
        throw .node(.internalServerError, "The storage path of the access key is invalid.")
      }
      return path
    }
  }

  var bearerUser: BearerUser? { if case .bearer(_, let user) = self { user } else { nil } }
}

/// The user in whose name a bearer token was signed.
struct BearerUser: Sendable {
  let id: String
  let groupIDs: [String]
  /// Whether the token's scope grants all rights of the access key (`admin:all`).
  let isAdministrator: Bool
}

/// The reason why a bearer token is refused.
enum BearerProblem: Error {
  case unknownKey, noVerificationKey, unreadable, wrongSignature, foreignScope, unknownRole, noUser
  case expired(Timestamp)

  var message: String {
    switch self {
    case .unknownKey: "The access key of the bearer token is not known."
    case .noVerificationKey: "The access key of the bearer token has no token_verification_key."
    case .unreadable: "The bearer token is invalid: it cannot be read."
    case .wrongSignature: "The bearer token is invalid: its signature is not one of the token_verification_key."
    case .foreignScope: "The bearer token is invalid: its scope names another access key."
    case .unknownRole: "The bearer token is invalid: its scope ends neither in user:all nor in admin:all."
    case .noUser: "The bearer token is invalid: it has no user_id."
    case .expired(let time): "The bearer token has expired: it ended at \(time.iso8601)."
    }
  }
}

extension NodeDirectory {
  func bearerCaller(_ token: String, for accessKey: String, at date: Timestamp) throws(BearerProblem) -> NodeCaller {
    guard let key = self.accessKey(accessKey) else { throw .unknownKey }
    guard let pem = key.tokenVerificationKey else { throw .noVerificationKey }
    guard let bearer = try? NodeBearerToken(Secret(token)), let expiration = bearer.claims.expiration else {
      throw .unreadable
    }
    guard (try? bearer.verify(with: pem)) != nil else { throw .wrongSignature }
    guard let scope = bearer.claims.scope, scope.accessKey.isIdentical(to: accessKey) else { throw .foreignScope }
    let isAdministrator = scope.role == NodeScope.admin
    guard isAdministrator || scope.role == NodeScope.user else { throw .unknownRole }
    guard let user = bearer.claims.userID, !user.isEmpty else { throw .noUser }
    guard expiration > date else { throw .expired(expiration) }
    return .bearer(key, BearerUser(id: user, groupIDs: bearer.claims.groupIDs, isAdministrator: isAdministrator))
  }
}
