// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

extension TransferSpec {
  /// The fields that a grant can set for any transfer; paths, tags, cipher and host key have separate rules.
  private static let grantable = [
    "remote_host", "remote_user", "ssh_port", "fasp_port", "rate_policy", "rate_policy_allowed", "target_rate_kbps",
    "target_rate_cap_kbps", "min_rate_kbps", "min_rate_cap_kbps",
  ]

  /// Merges the permitted fields of a grant's specification into this specification.
  ///
  /// An issuer decides on behalf of the server about its address, its users, its rates, and paths on the server. It
  /// does not decide on behalf of this machine, so credentials, options and local paths in the grant are ignored. A
  /// field that is `null` or an empty string is also ignored. A WebSocket requires that there is no account.
  mutating func merge(_ response: TransferSpec, permitsWebSocket: Bool) throws(AsperaError) {
    if let other = response.filled("direction"), other != text("direction") {
      throw Self.mismatch("is for the other direction", "Request a token for the direction of the transfer.")
    }
    for name in Self.grantable + (permitsWebSocket ? ["wss_enabled", "wss_port"] : []) {
      if let value = response.nonempty(name) { fields[name] = value }
    }
    // The server can select a cipher, but it must not replace the caller's cipher with `none`.
    if let cipher = response.nonempty("cipher"), text("cipher") == nil || cipher != .string("none") {
      fields["cipher"] = cipher
    }
    try mergeTags(response)
    try mergePaths(response)
  }

  /// Returns a field's value, or `nil` if the value is `null` or an empty string.
  private func nonempty(_ name: String) -> JSONValue? {
    fields[name].flatMap { $0 == .null || $0 == .string("") ? nil : $0 }
  }

  /// Merges the tags of a grant's specification into this specification, in which the grant's values count more.
  private mutating func mergeTags(_ response: TransferSpec) throws(AsperaError) {
    guard let granted = response.tags else { return }
    let requested = try decodedTags() ?? JSONObject()
    fields["tags64"] = nil
    tags = Self.merged(requested, granted)
  }

  /// Returns the tags in the field `tags64` or `tags`, or `nil` if the specification has no tags.
  func decodedTags() throws(AsperaError) -> JSONObject? {
    guard let text = text("tags64") else { return tags }
    guard let bytes = [UInt8](base64: text), let decoded = (try? JSONValue(parsing: bytes))?.object else {
      throw Self.invalid("has tags64 that is not a JSON object in Base64", "Use tags.")
    }
    return decoded
  }

  /// Returns the members of two objects, in which a member of the second object replaces one of the first object.
  package static func merged(_ first: JSONObject, _ second: JSONObject) -> JSONObject {
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

  /// Replaces the paths on the server with the paths in a grant's specification.
  ///
  /// For an upload, the grant contains only destinations, and the caller's sources remain. For a download, the grant
  /// contains the sources in the order of the token, and the caller's local names remain.
  private mutating func mergePaths(_ response: TransferSpec) throws(AsperaError) {
    switch direction {
    case .send?:
      if let root = response.nonempty("destination_root") { fields["destination_root"] = root }
    case .receive?:
      if let root = response.nonempty("source_root") { fields["source_root"] = root }
      guard let granted = response.fields["paths"]?.array, !granted.isEmpty else { return }
      let sources = granted.compactMap { $0["source"]?.string }
      let requested = paths
      guard sources.count == granted.count, sources.count == requested.count else {
        throw Self.mismatch("is for other paths", "Request a token for exactly the paths of the transfer.")
      }
      paths = zip(sources, requested).map { TransferPath($0, to: $1.destination) }
    case nil: return
    }
  }

  static func mismatch(_ problem: String, _ remedy: String) -> AsperaError {
    AsperaError(.invalidToken, "The specification of the grant \(problem).", remedy: remedy)
  }
}
