internal import StorageAuth
internal import StorageCrypto
internal import StorageJSON

extension TransferSpec {
  /// What the issuer of a grant may say about any transfer; paths, tags, cipher and host key have rules of their own.
  private static let grantable = [
    "remote_host", "remote_user", "ssh_port", "fasp_port", "rate_policy", "rate_policy_allowed", "target_rate_kbps",
    "target_rate_cap_kbps", "min_rate_kbps", "min_rate_cap_kbps",
  ]

  /// Takes over from the specification of a grant what its issuer may say.
  ///
  /// An issuer speaks for the server: where it is, whom it lets in, how fast, and what things are called over there. It
  /// does not speak for this machine: no credential, no option, and no path on this side is taken from it. A field that
  /// is null or empty says nothing.
  ///
  /// - Parameters:
  ///   - answer: The specification of the grant.
  ///   - takesWebSocket: Whether the session may be set up without an account.
  /// - Throws: An ``AsperaError`` if the answer is for another transfer than this.
  mutating func take(_ answer: TransferSpec, takesWebSocket: Bool) throws(AsperaError) {
    if let other = answer.filled("direction"), other != text("direction") {
      throw Self.mismatch("goes in the other direction", "Ask for a token for the direction of the transfer.")
    }
    for name in Self.grantable + (takesWebSocket ? ["wss_enabled", "wss_port"] : []) {
      if let value = answer.said(name) { fields[name] = value }
    }
    // The server may ask for a cipher; it may not talk the caller out of one.
    if let cipher = answer.said("cipher"), text("cipher") == nil || cipher != .text("none") {
      fields["cipher"] = cipher
    }
    try takeTags(answer)
    try takePaths(answer)
  }

  /// A value that says something.
  private func said(_ name: String) -> JSONValue? {
    fields[name].flatMap { $0 == .null || $0 == .text("") ? nil : $0 }
  }

  /// The tags of both; where both have one, that of the answer counts.
  private mutating func takeTags(_ answer: TransferSpec) throws(AsperaError) {
    guard let more = answer.tags else { return }
    let own = try decodedTags() ?? JSONObject()
    fields["tags64"] = nil
    tags = Self.merged(own, more)
  }

  /// The tags, in whichever field they are.
  func decodedTags() throws(AsperaError) -> JSONObject? {
    guard let text = text("tags64") else { return tags }
    guard let bytes = [UInt8](base64: text), let decoded = (try? JSONValue(parsing: bytes))?.object else {
      throw Self.invalid("has tags64 that is no JSON object in Base64", "Use tags.")
    }
    return decoded
  }

  private static func merged(_ first: JSONObject, _ second: JSONObject) -> JSONObject {
    var merged = first
    for (name, value) in second {
      if let inner = value.object, let outer = merged[name]?.object {
        merged[name] = .object(Self.merged(outer, inner))
      } else {
        merged[name] = value
      }
    }
    return merged
  }

  /// Takes what the other side's paths are called.
  ///
  /// The answer about an upload has only destinations: the sources stay the caller's. Of a download the answer has the
  /// sources, in the order of the token, and the names on this side stay the caller's.
  private mutating func takePaths(_ answer: TransferSpec) throws(AsperaError) {
    switch direction {
    case .send?:
      if let root = answer.said("destination_root") { fields["destination_root"] = root }
    case .receive?:
      if let root = answer.said("source_root") { fields["source_root"] = root }
      guard let granted = answer.fields["paths"]?.array, !granted.isEmpty else { return }
      let sources = granted.compactMap { $0["source"]?.text }
      let own = paths
      guard sources.count == granted.count, sources.count == own.count else {
        throw Self.mismatch("is for other paths", "Ask for a token for exactly the paths of the transfer.")
      }
      paths = zip(sources, own).map { TransferPath($0, to: $1.destination) }
    case nil: return
    }
  }

  static func mismatch(_ problem: String, _ remedy: String) -> AsperaError {
    AsperaError(.invalidToken, "The specification of the grant \(problem).", remedy: remedy)
  }
}
