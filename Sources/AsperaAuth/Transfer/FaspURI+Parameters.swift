internal import StorageAuth
internal import StorageCrypto
internal import StorageJSON

extension FaspURI {
  private static let texts = [
    "token": "token", "sshfp": "sshfp", "cookie": "cookie", "policy": "rate_policy", "tags64": "tags64",
  ]

  private static let numbers = [
    "port": "fasp_port", "httpport": "http_fallback_port", "targetrate": "target_rate_kbps",
    "minrate": "min_rate_kbps", "bwcap": "target_rate_cap_kbps",
  ]

  private static let truths = ["createpath": "create_dir", "fallback": "http_fallback"]

  /// What says nothing about the transfer: the version of the link, and settings of an application's window.
  private static let silent: Set<String> = ["v", "auth", "protect", "lockpolicy", "lockminrate"]

  /// Reads the parameters; gives the names of those that are not known.
  static func read(query: Substring, into spec: inout TransferSpec) throws(AsperaError) -> [String] {
    var seen: Set<String> = []
    var unknown: [String] = []
    for parameter in query.split(separator: "&") {
      let pair = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = try decoded(pair[0], "parameters").lowercased()
      let value = try pair.count == 2 ? decoded(pair[1], "parameter") : ""
      guard seen.insert(name).inserted else { throw problem("has a parameter twice") }
      if let field = texts[name] {
        spec.fields[field] = .text(value)
      } else if let field = numbers[name] {
        guard let number = Int(value) else { throw problem("has a number that is none: \(name)") }
        spec.setNumber(field, number)
      } else if let field = truths[name] {
        guard value == "yes" || value == "no" else { throw problem("has \(name) that is neither yes nor no") }
        spec.fields[field] = .truth(value == "yes")
      } else if name == "enc" {
        spec.fields["cipher"] = .text(try cipher(value))
      } else if !silent.contains(name) {
        unknown.append(name)
      }
    }
    try decodeTags(&spec)
    return unknown
  }

  /// The name of a cipher in a specification: links write it without hyphens, `aes128cfb`.
  private static func cipher(_ value: String) throws(AsperaError) -> String {
    let plain = value.lowercased().replacing("-", with: "")
    guard let cipher = TransferCipher.namesForAscp.first(where: { $0.value == plain }) else {
      throw problem("names a cipher that is not known")
    }
    return cipher.key
  }

  /// Tags are easier to read, and to add to, as an object.
  private static func decodeTags(_ spec: inout TransferSpec) throws(AsperaError) {
    guard let text = spec.text("tags64") else { return }
    guard let bytes = [UInt8](base64: text), let tags = (try? JSONValue(parsing: bytes))?.object else {
      throw problem("has tags64 that is no JSON object in Base64")
    }
    spec.fields["tags64"] = nil
    spec.tags = tags
  }
}
