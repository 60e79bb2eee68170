// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// A link to files on an Aspera server: `faspe://user@host:port/path?token=…`.
///
/// Faspex creates such links. Because any client that has a link with a token can use the token's rights, `print`,
/// `dump` and `Mirror` do not show the token. A password in a link is dropped, because links are stored in histories
/// and logs. The supported query parameters are those of aspera-cli (`transfer/uri.rb`).
///
/// ```swift
/// let spec = try FaspURI("faspe://mia@host.example:33001/path/file?token=…").specification
/// ```
public struct FaspURI: Sendable, Equatable, Redacted {
  private static let byteLimit = 65_536

  /// The specification of the transfer that the link describes: a download of the file at the link's path.
  ///
  /// A link does not contain a direction. The direction is `receive`, because links are created for downloads.
  public let specification: TransferSpec
  /// Whether the link contained a password, which ``specification`` does not contain.
  public let droppedPassword: Bool
  /// The names of the link's query parameters that are unknown and therefore missing in ``specification``.
  public let unknownParameters: [String]

  /// Parses a link to files on an Aspera server.
  ///
  /// - Parameter text: The link, in which a `+` does not stand for a space, because tokens and tags are Base64.
  /// - Throws: An ``AsperaError`` with the code `invalidSpecification` if the text is not a `faspe` link or a parameter
  ///   has an invalid value, or an error of ``TransferSpec/validate()`` if the resulting specification is invalid.
  public init(_ text: String) throws(AsperaError) {
    let scheme = "faspe://"
    guard text.asciiLowercased.hasBytePrefix(scheme), text.utf8.count <= Self.byteLimit else {
      throw Self.invalid("does not begin with faspe://, or is longer than 64 KiB")
    }
    let link = text[text.utf8.index(text.startIndex, offsetBy: scheme.utf8.count)...].bytes(before: "#")
    let authorityEnd = link.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? link.endIndex
    let pathEnd = link[authorityEnd...].utf8.firstIndex(of: UInt8(ascii: "?")) ?? link.endIndex
    var spec = TransferSpec(fields: JSONObject())
    droppedPassword = try Self.parse(authority: link[..<authorityEnd], into: &spec)
    spec.direction = .receive
    let path = try Self.decoded(link[authorityEnd..<pathEnd], of: "path")
    guard !path.isEmpty else { throw Self.invalid("has no path") }
    spec.paths = [TransferPath(path)]
    unknownParameters = try Self.parse(query: link[pathEnd...].removingBytePrefix("?") ?? "", into: &spec)
    // Tags in JSON are easier to read and to extend than those in Base64.
    do { if let tags = try spec.decodedTags() { spec.tags = tags } } catch {
      throw Self.invalid("has tags64 that is not a JSON object in Base64")
    }
    spec.fields["tags64"] = nil
    try spec.validate()
    specification = spec
  }

  private static func invalid(_ problem: String) -> AsperaError {
    AsperaError(
      .invalidSpecification, "The link \(problem).", remedy: "Copy the whole link: faspe://user@host:port/path?token=…")
  }

  /// Parses the user, the host and the port, and returns whether there is a password.
  private static func parse(authority: Substring, into spec: inout TransferSpec) throws(AsperaError) -> Bool {
    var host = authority
    var hasPassword = false
    if let atSign = authority.utf8.lastIndex(of: UInt8(ascii: "@")) {
      let userAndPassword = authority[..<atSign].parts(between: ":", maxSplits: 1)
      hasPassword = userAndPassword.count == 2 && !userAndPassword[1].isEmpty
      if !userAndPassword[0].isEmpty { spec.remoteUser = try decoded(userAndPassword[0], of: "user") }
      host = authority[authority.utf8.index(after: atSign)...]
    }
    // The colons of an IPv6 address, which is in brackets, do not separate a port.
    let bracket = host.utf8.firstIndex(of: UInt8(ascii: "]"))
    guard host.beginsWithByte("[") == (bracket != nil) else { throw invalid("has a malformed host") }
    let hostEnd = bracket.map { host.utf8.index(after: $0) } ?? host.utf8.firstIndex(of: UInt8(ascii: ":"))
    if let hostEnd, hostEnd < host.endIndex {
      guard let port = host[hostEnd...].removingBytePrefix(":").flatMap({ Int(digits: $0) }) else {
        throw invalid("has a malformed port")
      }
      spec.sshPort = port
      host = host[..<hostEnd]
    }
    if bracket != nil { host = host.removingBytePrefix("[")?.removingByteSuffix("]") ?? host }
    spec.remoteHost = try decoded(host, of: "host")
    return hasPassword
  }

  private static func decoded(_ text: Substring, of part: String) throws(AsperaError) -> String {
    guard let bytes = String(text).percentDecodedBytes() else {
      throw invalid("has a malformed percent-encoding in its \(part)")
    }
    guard let decoded = String(utf8: bytes) else { throw invalid("has text that is not UTF-8 in its \(part)") }
    return decoded
  }

  /// A description that contains the description of the specification, without secrets.
  public var description: String { "FaspURI(\(specification))" }

  /// The fields of the specification by the names of the query parameters, for each form of their values.
  private static let textFields = [
    "token": "token", "sshfp": "sshfp", "cookie": "cookie", "policy": "rate_policy", "tags64": "tags64",
  ]
  private static let numberFields = [
    "port": "fasp_port", "httpport": "http_fallback_port", "targetrate": "target_rate_kbps",
    "minrate": "min_rate_kbps", "bwcap": "target_rate_cap_kbps",
  ]
  private static let booleanFields = ["createpath": "create_dir", "fallback": "http_fallback"]
  /// The query parameters that do not affect the transfer: the link's version, and settings of an application window.
  private static let ignoredParameters: Set<String> = ["v", "auth", "protect", "lockpolicy", "lockminrate"]

  /// Sets the fields for the query parameters, and returns the names of unknown parameters.
  private static func parse(query: Substring, into spec: inout TransferSpec) throws(AsperaError) -> [String] {
    var seenNames: Set<String> = []
    var unknownNames: [String] = []
    for parameter in query.words(between: "&") {
      let nameAndValue = parameter.parts(between: "=", maxSplits: 1)
      let name = try decoded(nameAndValue[0], of: "parameters").lowercased()
      let value = try nameAndValue.count == 2 ? decoded(nameAndValue[1], of: "parameter") : ""
      guard seenNames.insert(name).inserted else { throw invalid("has a duplicate parameter") }
      let isKnown = try setField(forParameter: name, to: value, in: &spec)
      if !isKnown, !ignoredParameters.contains(name) { unknownNames.append(name) }
    }
    return unknownNames
  }

  /// Sets the field that corresponds to a query parameter, or returns `false` if there is no such field.
  private static func setField(
    forParameter name: String, to value: String, in spec: inout TransferSpec
  ) throws(AsperaError) -> Bool {
    if let field = textFields[name] {
      spec.setText(field, value)
    } else if let field = numberFields[name] {
      guard let number = Int(digits: value) else { throw invalid("has a value that is not an integer: \(name)") }
      spec.setNumber(field, number)
    } else if let field = booleanFields[name] {
      guard value == "yes" || value == "no" else { throw invalid("has \(name) that is neither yes nor no") }
      spec.setFlag(field, value == "yes")
    } else if name == "enc" {
      // A link names the cipher without hyphens, such as `aes128cfb`.
      guard let cipher = TransferCipher(nameForAscp: value.lowercased().replacing("-", with: "")) else {
        throw invalid("names an unknown cipher")
      }
      spec.cipher = cipher
    } else {
      return false
    }
    return true
  }
}
