// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth

// What the token services and the metadata services of several clouds have in common.

/// A role to assume at a cloud's token service.
package struct AssumedRole<Endpoint: Sendable & Hashable>: Sendable, Hashable {
  package let arn: String
  package var sessionName: String
  package var duration: Duration
  package var policy: String?
  package var externalID: String?
  package var endpoint: Endpoint

  package init(
    arn: String, sessionName: String = "swift-storage-auth", duration: Duration = .seconds(3600), policy: String? = nil,
    externalID: String? = nil, endpoint: Endpoint
  ) {
    self.arn = arn
    self.sessionName = sessionName
    self.duration = duration
    self.policy = policy
    self.externalID = externalID
    self.endpoint = endpoint
  }

  /// Returns the parameters of a request for the role, after validating all but the ARN against the services' limits.
  ///
  /// - Parameters:
  ///   - marks: The characters besides letters and digits that the service allows in the session name.
  ///   - check: The validator of the provider that sends the request.
  package func parameters(sessionMarks marks: String, _ check: RequestCheck) throws(CredentialError) -> [FormPair] {
    try check.sessionName(sessionName, marks: marks, length: 2...64)
    let seconds = try check.seconds(duration, in: 900...43_200)
    try check.policy(policy, limit: 2048)
    var parameters = [
      FormPair("RoleArn", arn), FormPair("RoleSessionName", sessionName), FormPair("DurationSeconds", "\(seconds)"),
    ]
    if let policy { parameters.append(FormPair("Policy", policy)) }
    guard let externalID else { return parameters }
    guard (2...1224).contains(externalID.utf8.count) else {
      throw check.refused(
        "The external id has \(externalID.utf8.count) characters.", "Use the one that the role requires: 2 to 1224.")
    }
    return parameters + [FormPair("ExternalId", externalID)]
  }
}

extension RefusalRules {
  /// Throws the error of a service's response that is not successful.
  package func check(
    _ response: ServiceResponse, _ refusal: ServiceRefusal?, source: String,
    fallback: String = "See the vendor's documentation of this code."
  ) throws(CredentialError) {
    guard response.isSuccess, refusal == nil else {
      throw error(for: response, refusal, source: source, fallback: fallback)
    }
  }
}

extension CredentialReader {
  package init(ofTokenService source: String) {
    self.init(source: source, remedy: "Check that the endpoint is the vendor's; a proxy may answer in its place.")
  }

  /// Returns the temporary key in an object whose fields have the given names.
  ///
  /// - Parameters:
  ///   - names: The names of the fields with the access key ID, the secret and the session token.
  ///   - fields: The object with these fields.
  ///   - ends: The possible names of the field with the expiration.
  ///   - object: The object with the expiration.
  ///   - issuerTime: The time of the service.
  package func key(
    _ names: (id: String, secret: String, token: String), in fields: JSONObject, ending ends: [String] = ["Expiration"],
    in object: JSONObject, at issuerTime: Timestamp?
  ) throws(CredentialError) -> IssuedCredential<AccessKey> {
    let id = try text([names.id], in: fields)
    let secret = try text([names.secret], in: fields)
    let token = try text([names.token], in: fields)
    guard let end = try instant(ends, in: [object]) else {
      throw malformed("The response has no field \(ends.joined(separator: " or ")).")
    }
    return try issued(id: id, secret: secret, token: token, expiration: end, at: issuerTime)
  }
}

extension MetadataService {
  /// The path of the newer protocol's token in the clouds' metadata services.
  package static var tokenPath: String { "/latest/api/token" }

  /// Returns the token in the response to a request for one, or `nil` if the service supports only the older protocol.
  ///
  /// - Parameters:
  ///   - response: The response of the service.
  ///   - statuses: The statuses with which a service that issues no tokens responds.
  ///   - allowsV1: Whether the older protocol is allowed.
  package func token(
    in response: ServiceResponse, unlessRefusedBy statuses: Set<Int>, allowsV1: Bool
  ) throws(CredentialError) -> String? {
    if response.isSuccess {
      let token = String(decoding: response.body, as: UTF8.self).trimmingBlanks()
      guard !token.isEmpty, token.utf8.count <= 4096, token.utf8.allSatisfy({ $0 > UInt8(ascii: " ") && $0 < 0x7f })
      else { throw reader.malformed("The metadata service responded without a token.") }
      return token
    }
    guard statuses.contains(response.status) else { throw refusal(response) }
    guard allowsV1 else {
      throw CredentialError(
        .failed, source: source,
        "The metadata service issues no token (HTTP \(response.status)), and requests without one are not allowed.",
        remedy: "Switch the instance to the newer metadata service, or allow the older one.")
    }
    return nil
  }
}
