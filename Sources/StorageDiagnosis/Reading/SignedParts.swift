internal import StorageAuth

/// A text that a signature covers, taken apart.
public struct SignedParts: Sendable {
  /// The version of the signature that the text is of, where a service has several that read alike to it.
  let version: String?
  /// The parts in the order of the text, each once.
  private(set) var parts: [SignedPart] = []
  /// The values of each part; more than one where a parameter is repeated.
  private(set) var values: [SignedPart: [String]] = [:]

  /// Creates a text without parts.
  ///
  /// - Parameter version: The version of the signature that the text is of, where a service has several.
  public init(version: String? = nil) {
    self.version = version
  }

  /// The value of a part that is there once.
  subscript(_ part: SignedPart) -> String? { values[part]?.first }

  /// Adds a value.
  ///
  /// - Parameters:
  ///   - part: The part that it is of.
  ///   - value: The value.
  ///   - isLine: Whether the line is there in any case, so that an empty one stands for no value.
  public mutating func add(_ part: SignedPart, _ value: String, isLine: Bool = false) {
    if isLine, value.isEmpty { return }
    if values[part] == nil { parts.append(part) }
    values[part, default: []].append(value)
  }

  /// Adds everything of another text.
  mutating func add(_ other: SignedParts) {
    for part in other.parts { for value in other.values[part] ?? [] { add(part, value) } }
  }

  /// The same text without a part.
  func without(_ part: SignedPart) -> SignedParts {
    var copy = self
    copy.parts.removeAll { $0 == part }
    copy.values[part] = nil
    return copy
  }

  /// Adds the parameters of a query.
  public mutating func add(query: String) {
    for item in query.cut(at: "&") where !item.isEmpty {
      let (name, value) = item.cutOnce(at: "=")
      add(.parameter(name.unescaped ?? name), value ?? "")
    }
  }

  /// Reads a string to sign of four lines: algorithm, time, scope, and the hash of the canonical request.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - algorithm: The beginning of the first line.
  ///   - version: The version of the signature.
  init?(scopedStringToSign text: String, algorithm: String, version: String? = nil) {
    let lines = text.lines
    guard lines.count >= 4, lines[0].hasBytePrefix(algorithm) else { return nil }
    self.init(version: version)
    add(.algorithm, lines[0])
    add(.signingTime, lines[1])
    let scope = lines[2].cut(at: "/")
    guard scope.count == 4 else { return nil }
    add(.scopeDay, scope[0])
    add(.scopeRegion, scope[1])
    add(.scopeProduct, scope[2])
    add(.requestHash, lines[3])
  }

  /// Reads a canonical request: method, path, query, the headers a line each, an empty line, a list of headers and the
  /// hash of the body.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - list: The part that the list of headers is.
  ///   - version: The version of the signature.
  init?(canonicalRequest text: String, list: SignedPart, version: String? = nil) {
    let lines = text.lines
    guard lines.count >= 6 else { return nil }
    self.init(version: version)
    add(.method, lines[0])
    add(.path, lines[1])
    add(query: lines[2])
    var index = 3
    while index < lines.count, !lines[index].isEmpty {
      let (name, value) = lines[index].cutOnce(at: ":")
      add(.header(name), value ?? "")
      index += 1
    }
    add(list, index + 1 < lines.count ? lines[index + 1] : "", isLine: true)
    add(.payloadHash, index + 2 < lines.count ? lines[index + 2] : "", isLine: true)
  }
}

extension SignedParts: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The number of parts; no value, which may be a token.
  public var description: String { "SignedParts(\(parts.count) parts)" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
