extension AscpErrorCode {
  /// What a failure means, by its code and its text.
  ///
  /// There is no code for a token that has ended: 34 and 37 are used for everything that has to do with rights, so that
  /// the words of the text decide. A mismatch of user, direction or list of files is no question of another token, and
  /// neither is a user whom the server denies. The words are matched without regard to case; the whole sentences differ
  /// between versions.
  ///
  /// - Parameters:
  ///   - code: The field `Code` of the last frame; nothing where ascp ended without one, as it does with
  ///     `--mode=test-login`: then the text alone decides.
  ///   - text: The field `Description`, or what ascp printed.
  /// - Returns: What it means; ``AscpFailureClass/other`` for a code that the table does not have.
  package static func classify(code: Int?, text: String) -> AscpFailureClass {
    let text = text.lowercased()
    guard let code else { return classify(text: text) }
    switch code {
    case 34, 37: return classify(refusal: text)
    case 14 where text.contains("target address not available"): return .caller
    default: return AscpErrorCode(code)?.failureClass ?? .other
    }
  }

  /// What a refusal means: 34 or 37.
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

  /// Whether a text says that a user is denied, whatever the user is called: `user token denied by server`.
  private static func isDeniedUser(_ text: String) -> Bool {
    let words = text.split(separator: " ")
    return words.indices.dropLast(2).contains { words[$0] == "user" && words[$0 + 2] == "denied" }
  }

  /// What a text without a code means.
  private static func classify(text: String) -> AscpFailureClass {
    if text.contains("authenticat") && !text.contains("token") { return .account }
    if text.contains("not who we expected") || text.contains("fingerprint") { return .hostKey }
    if text.contains("licen") { return .license }
    if text.contains("token") || text.contains("authorization") { return classify(refusal: text) }
    let passing = ["tcp connection", "timed out", "timeout", "connection lost", "connection refused"]
    return passing.contains { text.contains($0) } ? .transport : .other
  }
}
