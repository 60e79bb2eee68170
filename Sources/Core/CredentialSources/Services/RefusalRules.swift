// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth

/// The rules for interpreting the error codes of a vendor's services.
package struct RefusalRules: Sendable {
  /// Prefixes of the error codes for a wrong signing time.
  package let clockCodePrefixes: [String]
  /// Prefixes of the error codes for temporary conditions, after which a retry can succeed.
  package let temporaryCodePrefixes: [String]
  /// The remedies by prefixes of error codes, of which the first one that matches counts.
  package let remedies: [(codePrefix: String, remedy: String)]

  package init(
    clockCodePrefixes: [String], temporaryCodePrefixes: [String], remedies: [(codePrefix: String, remedy: String)]
  ) {
    self.clockCodePrefixes = clockCodePrefixes
    self.temporaryCodePrefixes = temporaryCodePrefixes
    self.remedies = remedies
  }

  func concernsClock(_ refusal: ServiceRefusal?) -> Bool {
    guard let refusal else { return false }
    return clockCodePrefixes.contains { refusal.code.hasPrefix($0) }
  }

  /// Returns the error for a response that contains no credential; some vendors refuse with the status of a success.
  ///
  /// - Parameter fallbackRemedy: The remedy for a permanent error whose code has no rule.
  package func error(
    for response: ServiceResponse, _ refusal: ServiceRefusal?, source: String, fallbackRemedy: String
  ) -> CredentialError {
    let isTemporary =
      response.status >= 500 || response.status == 429 || response.status == 408
      || temporaryCodePrefixes.contains { refusal?.code.hasPrefix($0) == true }
    let knownRemedy = remedies.first { refusal?.code.hasPrefix($0.codePrefix) == true }?.remedy
    return CredentialError(
      isTemporary ? .failed : .rejected, source: source, message(response, refusal),
      remedy: knownRemedy ?? (isTemporary ? "Retry later." : fallbackRemedy), isRetryable: isTemporary)
  }

  package func requireSuccess(
    of response: ServiceResponse, _ refusal: ServiceRefusal?, source: String,
    fallbackRemedy: String = "See the vendor's documentation of this code."
  ) throws(CredentialError) {
    guard response.isSuccess, refusal == nil else {
      throw error(for: response, refusal, source: source, fallbackRemedy: fallbackRemedy)
    }
  }

  private func message(_ response: ServiceResponse, _ refusal: ServiceRefusal?) -> String {
    guard let refusal else { return "The service responded with HTTP \(response.status)." }
    var text = refusal.code
    if !refusal.message.isEmpty { text += ": \(refusal.message)" }
    if let id = refusal.requestID { text += " (request \(id))" }
    return "The service refused (HTTP \(response.status)). \(response.messageFilter.applied(to: text))"
  }
}

/// The error code, the message and the request ID in a service's error response.
package struct ServiceRefusal: Sendable {
  package let code: String
  package let message: String
  package var requestID: String?

  package init(code: String, message: String, requestID: String? = nil) {
    self.code = code
    self.message = message
    self.requestID = requestID
  }
}
