// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

/// Descriptions of errors: code, message and remedy.
final class ErrorTextTests: XCTestCase {
  func testDescriptionContainsCodeMessageAndRemedy() {
    XCTAssertEqual(
      "\(SigningError(.invalidHeader, "The header is odd.", remedy: "Send it once."))",
      "invalidHeader: The header is odd. Send it once.")
    XCTAssertEqual(
      "\(VerificationError(.expired, "It expired.", remedy: "Sign again."))", "expired: It expired. Sign again.")
    XCTAssertEqual(
      "\(CredentialError(.notConfigured, source: "environment", "No variable is set.", remedy: "Set it."))",
      "notConfigured (environment): No variable is set. Set it.")
  }

  func testCodesHaveDistinctNames() {
    let signing: [SigningError.Code] = [
      .anonymous, .invalidConfiguration, .invalidCredential, .invalidHeader, .invalidPath, .invalidRequest,
      .invalidSignature,
      .lifetimeOutOfRange, .credentialEndsFirst,
    ]
    XCTAssertEqual(Set(signing.map(\.description)).count, signing.count)
    let verification: [VerificationError.Code] = [
      .unsigned, .missingDate, .malformed, .ambiguous, .unsupported, .limitExceeded, .unknownKey, .missingToken,
      .invalidToken,
      .wrongScope,
      .unsignedField, .notYetValid, .expired, .keyExpired, .clockSkew, .mismatch,
    ]
    XCTAssertEqual(Set(verification.map(\.description)).count, verification.count)
    let credential: [CredentialError.Code] = [
      .notConfigured, .failed, .malformedResponse, .rejected, .timeout, .cancelled,
    ]
    XCTAssertEqual(Set(credential.map(\.description)).count, credential.count)
  }

  func testErrorsAreRetryableOnlyIfTheProviderSaysSo() {
    XCTAssertFalse(CredentialError(.failed, source: "a", "b", remedy: "c").isRetryable)
    XCTAssertTrue(CredentialError(.failed, source: "a", "b", remedy: "c", isRetryable: true).isRetryable)
  }
}
