// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto
internal import StorageJSON

extension AscpCommandBuilder {
  /// Adds the option or the environment variable to which a field is mapped.
  mutating func add(_ field: TransferField, _ value: JSONValue) throws(AsperaError) {
    switch field.mapping {
    case .option("--check-sshfp", _):
      // ascp compares fingerprints as strings, so only lowercase digits without colons match.
      guard let text = value.string, !text.isEmpty else { return }
      arguments += ["--check-sshfp", try HostKeyFingerprint(text).description]
    case .option(let name, let words):
      guard let text = Self.text(value) else { return }
      arguments += [name, words[text] ?? text]
    case .encoded(let name):
      let bytes = value.object != nil ? value.serialized : Array((value.string ?? "").utf8)
      if !bytes.isEmpty { arguments += [name, Self.base64(bytes)] }
    case .flag(let name, let otherwise):
      if value.bool == true { arguments.append(name) }
      if value.bool == false, let otherwise { arguments.append(otherwise) }
    case .variable(let name):
      if let text = specification.filled(field.name) { environment[name] = Secret(text) }
    case .special: try addSpecial(field.name)
    case .informational, .refused: return
    }
  }

  private static func text(_ value: JSONValue) -> String? {
    value.string ?? value.bool.map { $0 ? "true" : "false" } ?? value.integer.map { "\($0)" }
  }

  static func base64(_ bytes: [UInt8]) -> String { String(writing: { $0.append(base64: bytes) }) }

  private mutating func addSpecial(_ name: String) throws(AsperaError) {
    switch name {
    case "ssh_private_key_path":
      if let path = specification.filled(name) { arguments += ["-i", try expanded(path)] }
    case "proxy": try addProxy()
    case "filters": addFilters()
    default: return
    }
  }

  /// Adds the patterns in their order, which decides which of several matching patterns applies.
  private mutating func addFilters() {
    for filter in specification.fields["filters"]?.array ?? [] {
      if let pattern = filter["include"]?.string { arguments += ["-N", pattern] }
      if let pattern = filter["exclude"]?.string { arguments += ["-E", pattern] }
    }
  }

  /// Returns the path with `~/` replaced by the home directory, because ascp does not expand `~/`.
  private func expanded(_ path: String) throws(AsperaError) -> String {
    guard path.hasBytePrefix("~/"), let rest = path.removingBytePrefix("~") else { return path }
    guard let home = options.homeDirectory, !home.isEmpty else {
      throw AsperaError(
        .keyNotFound, "The path of the private key begins with ~/ and the home directory is not known.",
        remedy: "Set HOME, or give the whole path.")
    }
    return home + rest
  }

  /// Adds the option for the proxy without the proxy's password, which is passed in the environment.
  private mutating func addProxy() throws(AsperaError) {
    guard let proxy = specification.filled("proxy") else { return }
    guard let scheme = ["dnat://", "dnats://"].first(where: { proxy.asciiLowercased.hasBytePrefix($0) }) else {
      throw TransferSpec.invalid(
        "has a proxy that is not one of Aspera's", "Write it as dnat://user@host:port, or dnats for TLS.")
    }
    let rest = proxy[proxy.utf8.index(proxy.startIndex, offsetBy: scheme.utf8.count)...]
    guard let at = rest.utf8.lastIndex(of: UInt8(ascii: "@")) else {
      arguments += ["--proxy", proxy]
      return
    }
    let user = rest[..<at].parts(between: ":", atMost: 1)
    if user.count == 2 { environment["ASPERA_PROXY_PASS"] = Secret(String(user[1])) }
    arguments += ["--proxy", scheme + user[0] + rest[at...]]
  }
}
