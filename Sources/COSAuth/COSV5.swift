package import HTTPTypes
public import StorageAuth
internal import StorageCrypto

extension HTTPField.Name {
  package static let cosSecurityToken = known("x-cos-security-token")
  package static let ciSecurityToken = known("x-ci-security-token")
}

/// Which headers of a request a COS signature covers.
///
/// The service checks what is listed and, in its strict mode, that everything that matters is listed. The standard
/// policy lists all of that.
public struct COSHeaderPolicy: Sendable, Hashable {
  private enum Value: Hashable {
    case standard
    case only(Set<String>)
  }

  private let value: Value

  /// Whether the host is signed; without it a signature also opens another bucket of the same account.
  public let signsHost: Bool

  /// The headers that the vendor's current SDKs sign, the host included: `cache-control`, `content-disposition`,
  /// `content-encoding`, `content-length`, `content-md5`, `content-type`, `expect`, `expires`, the `if-` headers,
  /// `origin`, `range`, `transfer-encoding`, `pic-operations`, and all that start with `x-cos-` or `x-ci-`.
  public static let standard = COSHeaderPolicy(value: .standard, signsHost: true)

  /// The standard headers without the host, for a host that reaches COS through a CDN.
  public static let standardWithoutHost = COSHeaderPolicy(value: .standard, signsHost: false)

  /// Only the named headers, where a request has them; `host` is a name as any other.
  public static func only(_ names: Set<String>) -> COSHeaderPolicy {
    let names = Set(names.map { $0.asciiLowercased })
    return COSHeaderPolicy(value: .only(names), signsHost: names.contains("host"))
  }

  /// Whether everything that COS looks for in its strict mode is signed.
  var isComplete: Bool { value == .standard && signsHost }

  /// Whether a field is signed; its name is in lower case.
  func signs(_ name: String) -> Bool {
    withBytes(of: name) { signs($0) }
  }

  /// Whether a field is signed; its name is in lower case.
  func signs(_ name: Span<UInt8>) -> Bool {
    switch value {
    case .standard: Self.isStandard(name)
    case .only(let names): names.contains(String(writing: { $0.append(name) }))
    }
  }

  /// Whether a field is one of the standard ones; its name is in lower case.
  static func isStandard(_ name: Span<UInt8>) -> Bool {
    hasEffectPrefix(name) || standardNames.contains(name)
  }

  /// Whether a name is one that COS or its data processing acts on: `x-cos-` or `x-ci-`, in lower case.
  static func hasEffectPrefix(_ name: Span<UInt8>) -> Bool {
    name.starts(with: "x-cos-") || name.starts(with: "x-ci-")
  }

  private static let standardNames = NameTable(
    """
    cache-control content-disposition content-encoding content-length content-md5 content-type expect expires if-match
    if-modified-since if-none-match if-unmodified-since origin range transfer-encoding pic-operations
    """.split { $0 == " " || $0 == "\n" }.map(String.init))
}

/// The text that a COS signature covers: method, decoded path, parameters and headers, a line each.
struct COSHTTPString {
  /// Writes a piece of text.
  typealias Write = (inout ByteWriter) -> Void

  let policy: COSHeaderPolicy

  /// The names of the parameters that are signed, decoded and in lower case; nothing for all of them.
  var parameterNames: Set<WireText>?

  /// How the text is spelt; anything but the standard is for verifying alone.
  var spelling = COSSpelling.standard

  /// The host as it is signed; nothing for the authority.
  var host: String?

  /// The session token as it stands in the text, encoded once per key.
  var encodedToken: SecretBytes?

  /// The parameters that a request must not have.
  var refused: RefusedParameters?

  /// Hands functions that write the text, the list of headers and the list of parameters of a request to `body`.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - fields: Every header that is signed.
  ///   - path: The path with every parameter that is signed.
  ///   - body: Uses the functions.
  /// - Throws: A ``SigningError`` if the path cannot be read, or a header that is signed is there twice.
  func withHTTPString<Result>(
    _ request: HTTPRequest, fields: HTTPFields, path: String,
    _ body: (_ text: Write, _ headerList: Write, _ parameterList: Write) -> Result
  ) throws(SigningError) -> Result {
    let authority = host ?? request.authority
    let spelling = spelling
    let token = encodedToken == nil ? nil : fields.index(of: .cosSecurityToken)
    return try ScratchList<SelectedHeader>.with { (headers) throws(SigningError) in
      try select(from: fields, authority: authority, into: &headers)
      return try ScratchList<WireParameter>.with { (parameters) throws(SigningError) in
        try withBytes(of: path) { (wire) throws(SigningError) in
          let path = try cut(wire, into: &parameters)
          return body(
            { writer in
              writer.append(lowercased: request.method.rawValue)
              writer.append(UInt8(ascii: "\n"))
              writer.append(decoding: path, of: wire)
              writer.append(UInt8(ascii: "\n"))
              for index in 0..<parameters.count {
                if index > 0 { writer.append(UInt8(ascii: "&")) }
                writer.append(
                  canonical: parameters[index], of: wire, nameCase: spelling.nameCase, keepsEmptyValue: true)
              }
              writer.append(UInt8(ascii: "\n"))
              for index in 0..<headers.count {
                if index > 0 { writer.append(UInt8(ascii: "&")) }
                let header = headers[index]
                if header.index == SelectedHeader.host {
                  writer.append("host=")
                  writer.append(percentEncoding: authority ?? "")
                  continue
                }
                let field = Int(header.index)
                fields.withName(at: field) { writer.append(headerName: $0) }
                writer.append(UInt8(ascii: "="))
                if let encodedToken, field == token {
                  encodedToken.withBytes { writer.append($0) }
                } else {
                  fields.withValue(at: field) { writer.append(percentEncoding: $0) }
                }
              }
              writer.append(UInt8(ascii: "\n"))
            },
            { writer in
              for index in 0..<headers.count {
                if index > 0 { writer.append(UInt8(ascii: ";")) }
                if headers[index].index == SelectedHeader.host {
                  writer.append("host")
                } else {
                  fields.withName(at: Int(headers[index].index)) { writer.append(headerName: $0) }
                }
              }
            },
            { writer in
              for index in 0..<parameters.count {
                if index > 0 { writer.append(UInt8(ascii: ";")) }
                writer.append(loweredNameOf: parameters[index], of: wire)
              }
            })
        }
      }
    }
  }

  private func cut(
    _ wire: Span<UInt8>, into parameters: inout ScratchList<WireParameter>
  ) throws(SigningError) -> WirePath {
    guard let path = WireQuery.cut(wire, into: &parameters) else { throw .unreadablePath }
    if let parameterNames {
      parameters.keep { parameter in
        let name = String(writing: { $0.append(decoding: wire.extracting(parameter.name), plusIsSpace: true) })
        return parameterNames.contains(WireText(name.asciiLowercased))
      }
    } else {
      // A list of names cannot tell one that is empty from none.
      for index in 0..<parameters.count where parameters[index].name.isEmpty { throw .namelessParameter }
    }
    if let refused { try refused.check(parameters, of: wire) }
    WireQuery.sort(&parameters, of: wire, by: spelling.order, thenByValue: spelling != .wireOrder)
    return path
  }

  private func select(
    from fields: HTTPFields, authority: String?, into headers: inout ScratchList<SelectedHeader>
  ) throws(SigningError) {
    for index in fields.indices {
      fields.withName(at: index) { name in
        let isHost = name.count == 4 && name.starts(with: "host")
        guard !isHost, policy.signs(name) else { return }
        headers.append(SelectedHeader(name: name, index: Int32(index)))
      }
    }
    if policy.signsHost, authority != nil {
      withBytes(of: "host") { headers.append(SelectedHeader(name: $0, index: SelectedHeader.host)) }
    }
    if let repeated = SelectedHeader.sort(&headers, of: fields) { throw .repeatedHeader(fields[repeated].name) }
  }
}

extension ByteWriter {
  /// Appends the name of a header, which is in lower case already; a token may hold characters that are encoded.
  mutating func append(headerName name: Span<UInt8>) {
    if name.isKept(by: .component) { append(name) } else { append(percentEncoding: name, .component, .lowered) }
  }

  /// Appends ASCII text in lower case.
  mutating func append(lowercased text: String) {
    withBytes(of: text) { append(lowercased: $0) }
  }

  /// Appends the string to sign of a text that hashes to `hash`.
  mutating func append(cosStringToSign hash: Digest, in window: COSKeyTime) {
    append("sha1\n")
    window.append(to: &self)
    append(UInt8(ascii: "\n"))
    append(hex: hash)
    append(UInt8(ascii: "\n"))
  }
}

/// How the names of parameters are spelt and sorted in the text that is signed.
///
/// All the vendor's SDKs agree on names of letters, digits and hyphens. On others some differ from the documentation,
/// and a server has to take what they send.
enum COSSpelling: CaseIterable {
  /// As documented: encoded, then in lower case, sorted in that form; equal names by value.
  case standard
  /// As the JavaScript SDKs: spelt as documented, sorted by the name before it is encoded.
  case sortedByRawName
  /// As the iOS SDK: in lower case, then encoded, so that escapes are in upper case.
  case upperCaseEscapes
  /// As the Android SDK: a repeated name is listed once and its values stay in the order of the URL.
  case wireOrder

  /// The order of the parameters.
  var order: EncodedOrder {
    self == .sortedByRawName ? .decodedLowered : .encodedLowered
  }

  /// The case of a name.
  var nameCase: EncodedCase {
    self == .upperCaseEscapes ? .loweredLetters : .lowered
  }
}

/// The stretch of time in which a COS signature is valid, both ends included (`q-sign-time`, `q-key-time`).
public struct COSKeyTime: Sendable, Hashable {
  /// The first second, in Unix time.
  public let start: Timestamp

  /// The last second, in Unix time.
  public let end: Timestamp

  /// Makes a window; fractions of seconds are dropped.
  ///
  /// - Parameters:
  ///   - start: The first second.
  ///   - end: The last second.
  public init(from start: Timestamp, until end: Timestamp) {
    self.start = start.wholeSeconds
    self.end = end.wholeSeconds
  }

  /// Reads a window as it stands in an authorization: `1700000000;1700003600`.
  package init?(_ text: String) {
    let parts = text.parts(between: ";")
    guard parts.count == 2, let start = Self.seconds(parts[0]), let end = Self.seconds(parts[1]) else { return nil }
    self.init(from: Timestamp(unixSeconds: start), until: Timestamp(unixSeconds: end))
  }

  /// Digits only: no sign, no blank, and few enough to be a time.
  private static func seconds(_ text: Substring) -> Int64? {
    guard (1...12).contains(text.utf8.count),
      text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return Int64(text)
  }

  /// Appends the window: `1700000000;1700003600`.
  func append(to writer: inout ByteWriter, separator: StaticString = ";") {
    writer.append(start.unixSeconds)
    writer.append(separator)
    writer.append(end.unixSeconds)
  }

  /// The key that signs in this window, derived once from an access key.
  func signingKey(of key: AccessKey) -> HMACKey<SHA1> {
    let scope = KeyScope(from: start.unixSeconds, to: end.unixSeconds)
    return key.signingKey(for: scope) { secret in
      HMACKey<SHA1>(secret).withAuthenticationCode(writing: { append(to: &$0) }) { signKey in
        HMACKey(writing: { $0.append(hex: signKey) })
      }
    }
  }
}
