// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension AscpErrorCode {
  /// Classifies a failure of ascp based on its error code and its text.
  ///
  /// ascp has no code for an expired token. It uses 34 and 37 for every authorization failure, and words in the text
  /// distinguish these failures. A different token does not help if the user, the direction or the file list do not
  /// match, or if the server denies access to the user. Uppercase and lowercase are not distinguished. Only words are
  /// matched, because whole sentences differ between versions.
  ///
  /// - Parameters:
  ///   - code: The field `Code` of the last management frame. `nil` if ascp exited without a final frame, as it does
  ///     with `--mode=test-login`. The result is then based only on the text.
  ///   - text: The field `Description` of the last management frame, or ascp's printed output.
  /// - Returns: The class of the failure, or ``AscpFailureClass/other`` for an unknown code.
  package static func classify(code: Int?, text: String) -> AscpFailureClass {
    let text = text.lowercased()
    guard let code else { return classify(text: text) }
    switch code {
    case 34, 37: return classify(refusal: text)
    case 14 where text.contains("target address not available"): return .caller
    default: return AscpErrorCode(code)?.failureClass ?? .other
    }
  }

  /// Classifies an authorization failure (code 34 or 37), based on its lowercase text.
  private static func classify(refusal text: String) -> AscpFailureClass {
    let words = text.split { !$0.isLetter && !$0.isNumber }
    guard words.contains("token"), !text.contains("match"), !text.contains("tags missing"), !isDeniedUser(text) else {
      return .authorizationDenied
    }
    if text.contains("expired") || text.contains("has ended") { return .tokenExpired }
    if text.contains("undefined") || text.contains("presented") || words.contains("missing") { return .tokenMissing }
    let refusals = ["denied", "invalid", "bad", "could not validate"]
    return refusals.contains { text.contains($0) } ? .tokenRejected : .authorizationDenied
  }

  /// Returns whether a text says that access is denied to a user.
  ///
  /// The user can have a keyword as name, as in `user token denied by server`.
  private static func isDeniedUser(_ text: String) -> Bool {
    let words = text.split(separator: " ")
    return words.indices.dropLast(2).contains { words[$0] == "user" && words[$0 + 2] == "denied" }
  }

  /// Classifies a failure without an error code, based on its lowercase text.
  private static func classify(text: String) -> AscpFailureClass {
    if text.contains("authenticat") && !text.contains("token") { return .account }
    if text.contains("not who we expected") || text.contains("fingerprint") { return .hostKey }
    if text.contains("licen") { return .license }
    if text.contains("token") || text.contains("authorization") { return classify(refusal: text) }
    let passing = ["tcp connection", "timed out", "timeout", "connection lost", "connection refused"]
    return passing.contains { text.contains($0) } ? .transport : .other
  }
}
