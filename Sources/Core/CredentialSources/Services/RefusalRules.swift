// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import StorageAuth

/// The rules for interpreting the error codes of a vendor's services.
package struct RefusalRules: Sendable {
  /// Prefixes of the error codes for a wrong signing time.
  package let clockCodePrefixes: [String]
  /// Prefixes of the error codes for temporary conditions, after which a retry can succeed.
  package let temporaryCodePrefixes: [String]
  /// The remedies by prefixes of error codes, of which the first one that matches counts.
  package let remedies: [(codePrefix: String, remedy: String)]

  /// The remedy for an error that has no other; the error may have a code, or only an HTTP status.
  package static let documentationRemedy = "See the vendor's documentation of this error."

  package init(
    clockCodePrefixes: [String], temporaryCodePrefixes: [String], remedies: [(codePrefix: String, remedy: String)]
  ) {
    self.clockCodePrefixes = clockCodePrefixes
    self.temporaryCodePrefixes = temporaryCodePrefixes
    self.remedies = remedies
  }

  /// Returns whether a service refused a request because of its signing time.
  func isClockRefusal(_ refusal: ServiceRefusal?) -> Bool {
    refusal?.hasCode(startingWithAnyOf: clockCodePrefixes) == true
  }

  /// Returns the error for a response that contains no credential; some vendors refuse with the status of a success.
  ///
  /// - Parameter fallbackRemedy: The remedy for a permanent error whose code has no rule.
  package func error(
    for response: ServiceResponse, _ refusal: ServiceRefusal?, source: String,
    fallbackRemedy: String = RefusalRules.documentationRemedy
  ) -> CredentialError {
    let isTemporary =
      response.status >= 500 || response.status == 429 || response.status == 408
      || refusal?.hasCode(startingWithAnyOf: temporaryCodePrefixes) == true
    let remedyOfCode = remedies.first { refusal?.hasCode(startingWithAnyOf: [$0.codePrefix]) == true }?.remedy
    let remedyWithoutRule = isTemporary ? "Retry later." : fallbackRemedy
    return CredentialError(
      isTemporary ? .failed : .rejected, source: source, message(response, refusal),
      remedy: remedyOfCode ?? remedyWithoutRule, isRetryable: isTemporary)
  }

  /// Throws the error for a response whose status is not a success, or that contains a refusal.
  package func requireSuccess(
    of response: ServiceResponse, _ refusal: ServiceRefusal?, source: String,
    fallbackRemedy: String = RefusalRules.documentationRemedy
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

  func hasCode(startingWithAnyOf prefixes: [String]) -> Bool { prefixes.contains { code.hasPrefix($0) } }
}
