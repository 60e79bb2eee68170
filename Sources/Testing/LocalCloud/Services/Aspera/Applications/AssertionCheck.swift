// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth
internal import StorageCrypto
internal import StorageKeys

/// The reason why an assertion is refused.
enum AssertionProblem: Error, Equatable {
  case unreadable, algorithm, critical, type, signature, subject, expired, notYetValid, issuedLater, tooLong, replayed
  case missing(String)
  case wrong(String)

  /// The reason as a complete sentence.
  var message: String {
    switch self {
    case .unreadable: "The assertion is not a JSON Web Token."
    case .algorithm: "The algorithm of the assertion is not supported."
    case .critical: "The assertion has critical header parameters, which are not supported."
    case .type: "The typ of the assertion is not JWT."
    case .signature: "The signature of the assertion does not match a public key of the user."
    case .subject: "The user of the assertion does not exist."
    case .expired: "Signature has expired: the exp of the assertion is in the past."
    case .notYetValid: "The nbf of the assertion is in the future."
    case .issuedLater: "The iat of the assertion is in the future."
    case .tooLong: "The lifetime of the assertion is too long."
    case .replayed: "The jti of the assertion was used before."
    case .missing(let claim): "The assertion has no \(claim), or one of another type."
    case .wrong(let claim): "The \(claim) of the assertion is wrong."
    }
  }
}

/// A verifier of the assertions of JWT grants (RFC 7523, section 3), which remembers their IDs.
final class AssertionCheck: Sendable {
  private static let capacity = 20_000
  private static let longestID = 255

  private let users: [LocalCloud.OAuthUser]
  private let rules: LocalCloud.GrantRules
  private let used = ExpiringSet(capacity: capacity)

  init(_ users: [LocalCloud.OAuthUser], _ rules: LocalCloud.GrantRules) {
    self.users = users
    self.rules = rules
  }

  /// Returns the user in whose name an assertion was signed.
  ///
  /// - Parameters:
  ///   - text: The assertion.
  ///   - clientID: The ID of the client that sent the assertion.
  ///   - audience: The required audience.
  ///   - subjectPrefix: The text before the user's e-mail address in the subject.
  ///   - date: The current time.
  func user(
    of text: String, clientID: String, audience: String, subjectPrefix: String, at date: Timestamp
  ) throws(AssertionProblem) -> LocalCloud.OAuthUser {
    guard let token = JSONWebToken(text) else { throw .unreadable }
    guard let algorithm = token.algorithm, rules.algorithms.contains(algorithm) else { throw .algorithm }
    guard token.header["crit"] == nil else { throw .critical }
    if let type = token.header["typ"], type.string?.asciiUppercased != "JWT" { throw .type }
    let claims = token.claims
    let subject = try Self.text("sub", claims)
    guard let user = users.first(where: { "\(subjectPrefix)\($0.email)".utf8.elementsEqual(subject.utf8) }) else {
      throw .subject
    }
    let isSigned = user.publicKeys.contains { pem in
      (try? PublicKey(pem: pem)).map { token.isSigned(by: $0, with: algorithm) } ?? false
    }
    guard isSigned else { throw .signature }
    guard try Self.text("iss", claims).utf8.elementsEqual(clientID.utf8) else { throw .wrong("iss") }
    let audiences: [String]
    if let list = claims["aud"]?.array {
      audiences = list.compactMap(\.string)
    } else {
      audiences = [try Self.text("aud", claims)]
    }
    guard audiences.contains(where: { $0.utf8.elementsEqual(audience.utf8) }) else { throw .wrong("aud") }
    let end = try checkTimes(of: claims, at: date)
    let id = try Self.text("jti", claims)
    guard id.utf8.count <= Self.longestID else { throw .wrong("jti") }
    guard used.insert("\(clientID) \(id)", until: end, at: date) else { throw .replayed }
    return user
  }

  /// Checks the times in an assertion, and returns the time at which the assertion expires.
  private func checkTimes(of claims: JSONObject, at date: Timestamp) throws(AssertionProblem) -> Timestamp {
    let end = try Self.seconds("exp", claims)
    let start = try Self.seconds("nbf", claims)
    let issued = try Self.seconds("iat", claims)
    let now = date.unixSeconds
    guard end > now else { throw .expired }
    guard start <= now else { throw .notYetValid }
    guard issued <= now else { throw .issuedLater }
    let limit = issued.saturatingAdding(rules.longestAssertion.components.seconds)
    guard end <= limit else { throw .tooLong }
    return Timestamp(unixSeconds: end)
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
