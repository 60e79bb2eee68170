// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import StorageAuth

/// An error response of a token endpoint.
///
/// The response has the form of RFC 6749 (section 5.2), of Faspex (`code` and `message`), of IBM Cloud (`errorCode` and
/// `errorMessage`), or of a Node API (`error` with `user_message`).
struct OAuthErrorResponse: Sendable {
  private let status: Int
  /// The error code, such as `invalid_grant`.
  private let code: String?
  let issuerTime: Timestamp?

  /// The error code and the server's message on one line, with confidential values masked.
  private let message: String
  private let isAboutTime: Bool

  init(_ object: JSONObject?, status: Int, issuerTime: Timestamp?, _ text: ServiceText) {
    let error = object?["error"]
    let node = object.flatMap { NodeRefusal(of: .object($0)) }
    code = error?.string ?? object?["errorCode"]?.string ?? object?["code"]?.code ?? node?.code
    let texts = ["error_description", "errorMessage", "message"].compactMap { object?[$0]?.string }
    let explanation = error?.object == nil ? texts.first : node?.message
    self.status = status
    self.issuerTime = issuerTime
    message = text.shown([code, explanation].compactMap(\.self).joined(separator: ": "))
    let words = (explanation ?? "").lowercased()
    isAboutTime = ["expired", "not yet", "future", "clock", "nbf", "iat"].contains { words.contains($0) }
  }

  /// Whether a wrong clock can be the reason: `invalid_grant` stands for every fault of an assertion, 2019 in Faspex.
  var canBeTime: Bool { isAboutTime || code == "invalid_grant" || code == "2019" }

  func error(for source: String) -> CredentialError {
    let isTemporary =
      status >= 500 || status == 429 || status == 408 || code == "temporarily_unavailable" || code == "server_error"
    let details = message.isEmpty ? "HTTP \(status)" : "HTTP \(status), \(message)"
    return CredentialError(
      isTemporary ? .failed : .rejected, source: source, "The authorization server issued no token: \(details).",
      remedy: isTemporary ? "Try again later." : remedy, isRetryable: isTemporary)
  }

  private var remedy: String {
    if isAboutTime { return "Set this machine's clock, which is what the times in the assertion come from." }
    switch code {
    case "invalid_grant":
      return "Check the user, that the user's public key is registered and belongs to this private key, that the API "
        + "client may use JWT grants for the user, and this machine's clock."
    case "invalid_client": return "Check the ID and the secret of the API client."
    case "unauthorized_client", "2018": return "Allow JWT grants in the settings of the API client."
    case "invalid_scope": return "Check the scope, and that the API client and the user have these rights."
    case "unsupported_grant_type": return "Check that the address is that of a token endpoint that takes this grant."
    case "2015", "2026": return "Check the ID and the secret of the API client."
    case "2016": return "Check the user, and that the API client may act for the user."
    case "2017": return "Register the public key of this private key in the user's account settings."
    case "2019": return "Check the client ID, which is issuer and audience, the user, and this machine's clock."
    case "BXNIM0415E": return "Check the API key; it may have been deleted."
    default: return "See what the server says about this code, and check the address of the token endpoint."
    }
  }
}
