// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension AscpErrorCode {
  /// Classifies a failure by its code and its text.
  ///
  /// ascp has no code for an expired token: it uses 34 and 37 for every failure of authorization, so that words in the
  /// text distinguish them. Another token does not help if the user, the direction or the file list do not match, or if
  /// the server denies the user. Words are matched regardless of case, because whole sentences differ between versions.
  ///
  /// - Parameters:
  ///   - code: The field `Code` of the last frame; `nil` if ascp exited without a frame, as it does with
  ///     `--mode=test-login`. In that case only the text determines the result.
  ///   - text: The field `Description`, or the output of ascp.
  /// - Returns: The class of the failure; ``AscpFailureClass/other`` for an unknown code.
  package static func classify(code: Int?, text: String) -> AscpFailureClass {
    let text = text.lowercased()
    guard let code else { return classify(text: text) }
    switch code {
    case 34, 37: return classify(refusal: text)
    case 14 where text.contains("target address not available"): return .caller
    default: return AscpErrorCode(code)?.failureClass ?? .other
    }
  }

  /// Classifies a failure of authorization, which has the code 34 or 37.
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

  /// Returns whether a text says that a user is denied, even if the user has the name of a keyword, as in `user token
  /// denied by server`.
  private static func isDeniedUser(_ text: String) -> Bool {
    let words = text.split(separator: " ")
    return words.indices.dropLast(2).contains { words[$0] == "user" && words[$0 + 2] == "denied" }
  }

  /// Classifies a failure without a code by its text.
  private static func classify(text: String) -> AscpFailureClass {
    if text.contains("authenticat") && !text.contains("token") { return .account }
    if text.contains("not who we expected") || text.contains("fingerprint") { return .hostKey }
    if text.contains("licen") { return .license }
    if text.contains("token") || text.contains("authorization") { return classify(refusal: text) }
    let passing = ["tcp connection", "timed out", "timeout", "connection lost", "connection refused"]
    return passing.contains { text.contains($0) } ? .transport : .other
  }
}
