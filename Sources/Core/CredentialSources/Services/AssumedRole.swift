// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth

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
    try check.requireSessionName(sessionName, marks: marks, length: 2...64)
    let seconds = try check.wholeSeconds(of: duration, in: 900...43_200)
    try check.requirePolicy(policy, limit: 2048)
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
