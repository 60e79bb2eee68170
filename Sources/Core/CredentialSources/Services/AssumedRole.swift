// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import StorageAuth

/// A role to assume at a cloud's token service.
package struct AssumedRole<Endpoint: Sendable & Hashable>: Sendable, Hashable {
  /// The name of the role, in the vendor's notation.
  package let arn: String
  /// The name of the session, which appears in the vendor's logs.
  package var sessionName: String
  package var duration: Duration
  /// A policy in JSON that restricts the rights of the role further, or `nil` for all of its rights.
  package var policy: String?
  /// The ID that the role's trust policy requires of other accounts, or `nil` for none.
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
  /// - Parameter punctuation: The characters besides letters and digits that the service allows in the session name.
  package func parameters(
    sessionNamePunctuation punctuation: String, _ check: RequestCheck
  ) throws(CredentialError) -> [FormPair] {
    try check.requireSessionName(sessionName, marks: punctuation, length: 2...64)
    let seconds = try check.wholeSeconds(of: duration, in: 900...43_200)
    try check.requirePolicy(policy, limit: 2048)
    var parameters = [
      FormPair("RoleArn", arn), FormPair("RoleSessionName", sessionName), FormPair("DurationSeconds", "\(seconds)"),
    ]
    if let policy { parameters.append(FormPair("Policy", policy)) }
    if let externalID {
      // The limits are those of the pages "AssumeRole" in the STS API references of AWS and of Alibaba Cloud.
      try check.requireText(
        externalID, named: "The external ID", marks: "_+=,.@:/-", length: 2...1224,
        remedy: "Use the ID that the role requires:")
      parameters.append(FormPair("ExternalId", externalID))
    }
    return parameters
  }
}
