internal import StorageAuth
internal import StorageCrypto
internal import StorageJSON

/// A link to files on an Aspera server: `faspe://user@host:port/path?token=…`.
///
/// Faspex hands out such links. They can hold a token: whoever has one has the right that it stands for, so that it is
/// not shown by `print`, `dump` or `Mirror`. A password in a link is dropped: links are kept in histories and logs.
///
/// ```swift
/// let spec = try FaspURI("faspe://mia@host.example:33001/path/file?token=…").specification
/// ```
public struct FaspURI: Sendable, Equatable {
  /// The transfer that the link describes: a download of the file of its path.
  ///
  /// The direction is not in a link; it is `receive`, because links are handed out to get files.
  public let specification: TransferSpec

  /// Whether there was a password in the link, which is not in ``specification``.
  public let droppedPassword: Bool

  /// Parameters of the link that are not known and are not in ``specification``.
  public let unknownParameters: [String]

  /// Reads a link.
  ///
  /// - Parameter text: The link; a `+` in a parameter stands for itself, because tokens and tags are Base64.
  /// - Throws: An ``AsperaError`` if it is no such link, or if one of its parameters has a value that it cannot have.
  public init(_ text: String) throws(AsperaError) {
    guard text.lowercased().hasPrefix("faspe://"), text.utf8.count <= 65_536 else {
      throw Self.problem("does not begin with faspe://, or is longer than 64 KiB")
    }
    let rest = text.dropFirst("faspe://".count).prefix { $0 != "#" }
    let authorityEnd = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    let pathEnd = rest[authorityEnd...].firstIndex(of: "?") ?? rest.endIndex
    var spec = TransferSpec(fields: JSONObject())
    droppedPassword = try Self.read(authority: rest[..<authorityEnd], into: &spec)
    spec.direction = .receive
    let path = try Self.decoded(rest[authorityEnd..<pathEnd], "path")
    guard !path.isEmpty else { throw Self.problem("has no path") }
    spec.paths = [TransferPath(path)]
    unknownParameters = try Self.read(query: rest[pathEnd...].dropFirst(), into: &spec)
    try spec.validate()
    specification = spec
  }

  static func problem(_ problem: String) -> AsperaError {
    AsperaError(
      .invalidSpecification, "The link \(problem).", remedy: "Copy the whole link: faspe://user@host:port/path?token=…")
  }

  /// Reads user, host and port; says whether there was a password.
  private static func read(authority: Substring, into spec: inout TransferSpec) throws(AsperaError) -> Bool {
    var host = authority
    var hasPassword = false
    if let at = authority.lastIndex(of: "@") {
      let user = authority[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      hasPassword = user.count == 2 && !user[1].isEmpty
      if !user[0].isEmpty { spec.remoteUser = try decoded(user[0], "user") }
      host = authority[authority.index(after: at)...]
    }
    let bracket = host.firstIndex(of: "]")
    guard host.hasPrefix("[") == (bracket != nil) else { throw problem("has a broken host") }
    let end = bracket.map { host.index(after: $0) } ?? host.firstIndex(of: ":")
    if let end, end < host.endIndex {
      guard host[end] == ":", let port = Int(host[host.index(after: end)...]) else {
        throw problem("has a broken port")
      }
      spec.sshPort = port
      host = host[..<end]
    }
    if bracket != nil { host = host.dropFirst().dropLast() }
    spec.remoteHost = try decoded(host, "host")
    return hasPassword
  }

  /// Text with its escapes resolved.
  static func decoded(_ text: Substring, _ part: String) throws(AsperaError) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(hexValue), let low = rest.popFirst().flatMap(hexValue) else {
        throw problem("has a broken escape in its \(part)")
      }
      bytes.append(high << 4 | low)
    }
    guard let decoded = String(validating: bytes, as: UTF8.self) else {
      throw problem("has something else than UTF-8 in its \(part)")
    }
    return decoded
  }
}

extension FaspURI: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// What the specification shows of itself.
  public var description: String { "FaspURI(\(specification))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror of the specification alone.
  public var customMirror: Mirror { Mirror(self, children: ["specification": specification]) }
}

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
        spec.fields[field] = .string(value)
      } else if let field = numbers[name] {
        guard let number = Int(value) else { throw problem("has a number that is none: \(name)") }
        spec.setNumber(field, number)
      } else if let field = truths[name] {
        guard value == "yes" || value == "no" else { throw problem("has \(name) that is neither yes nor no") }
        spec.fields[field] = .bool(value == "yes")
      } else if name == "enc" {
        spec.fields["cipher"] = .string(try cipher(value))
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
