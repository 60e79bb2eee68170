/// A text that a signature covers, taken apart.
struct SignedText {
  /// The parts in the order of the text, each once.
  private(set) var parts: [LinePart] = []
  /// The values of each part; more than one where a parameter is repeated.
  private(set) var values: [LinePart: [String]] = [:]

  /// The value of a part that is there once.
  subscript(_ part: LinePart) -> String? { values[part]?.first }

  /// Adds a value; an empty line stands for nothing where the line is there in any case.
  private mutating func add(_ part: LinePart, _ value: String, emptyIsNothing: Bool = false) {
    if emptyIsNothing, value.isEmpty { return }
    if values[part] == nil { parts.append(part) }
    values[part, default: []].append(value)
  }

  /// Adds everything of another text.
  mutating func add(_ other: SignedText) {
    for part in other.parts { for value in other.values[part] ?? [] { add(part, value) } }
  }

  /// Reads the string to sign of OSS V1.
  ///
  /// The resource is decoded, so that a `?` of the key looks like the one before the parameters.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - path: The path that is expected, to tell where the parameters begin.
  init?(ossV1 text: String, path: String?) {
    let lines = text.lines
    guard lines.count >= 5 else { return nil }
    add(.method, lines[0])
    add(.header("content-md5"), lines[1], emptyIsNothing: true)
    add(.header("content-type"), lines[2], emptyIsNothing: true)
    add(.date, lines[3], emptyIsNothing: true)
    var index = 4
    while index < lines.count - 1, lines[index].hasPrefix("x-oss-") {
      let (name, value) = lines[index].cutOnce(at: ":")
      guard let value else { break }
      add(.header(name), value)
      index += 1
    }
    add(resource: lines[index...].joined(separator: "\n"), path: path)
  }

  private mutating func add(resource: String, path: String?) {
    let pieces = resource.cut(at: "?")
    let marks = min((path ?? "").count(of: "?"), pieces.count - 1)
    add(.path, pieces[...marks].joined(separator: "?"))
    guard pieces.count > marks + 1 else { return }
    add(query: pieces[(marks + 1)...].joined(separator: "?"))
  }

  /// Reads the string to sign of OSS V4.
  init?(v4StringToSign text: String) {
    let lines = text.lines
    guard lines.count >= 4, lines[0].hasPrefix("OSS4-") else { return nil }
    add(.algorithm, lines[0])
    add(.signingTime, lines[1])
    let scope = lines[2].cut(at: "/")
    guard scope.count == 4 else { return nil }
    add(.scopeDay, scope[0])
    add(.scopeRegion, scope[1])
    add(.scopeProduct, scope[2])
    add(.requestHash, lines[3])
  }

  /// Reads the canonical request of OSS V4.
  init?(v4CanonicalRequest text: String) {
    let lines = text.lines
    guard lines.count >= 6 else { return nil }
    add(.method, lines[0])
    add(.path, lines[1])
    add(query: lines[2])
    var index = 3
    while index < lines.count, !lines[index].isEmpty {
      let (name, value) = lines[index].cutOnce(at: ":")
      add(.header(name), value ?? "")
      index += 1
    }
    add(.additionalHeaders, index + 1 < lines.count ? lines[index + 1] : "", emptyIsNothing: true)
    add(.payloadHash, index + 2 < lines.count ? lines[index + 2] : "", emptyIsNothing: true)
  }

  /// Reads the string to sign of COS.
  init?(cosStringToSign text: String) {
    let lines = text.lines
    guard lines.count >= 3, lines[0] == "sha1" else { return nil }
    add(.algorithm, lines[0])
    add(.window, lines[1])
    add(.requestHash, lines[2])
  }

  /// Reads the text whose hash COS signs.
  ///
  /// The path is decoded and can hold line feeds; those at the end of the text are lost easily when it is copied.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - path: The path that is expected, to tell where it ends.
  init?(cosFormatString text: String, path: String?) {
    var lines = text.lines
    let pathEnd = 2 + (path ?? "").count(of: "\n")
    guard lines.count >= 2 else { return nil }
    if lines.count > 4, lines[lines.count - 1].isEmpty { lines.removeLast() }
    while lines.count < pathEnd + 2 { lines.append("") }
    add(.method, lines[0])
    let end = lines.count - 2
    add(.path, lines[1..<end].joined(separator: "\n"))
    add(query: lines[end])
    for item in lines[end + 1].cut(at: "&") where !item.isEmpty {
      let (name, value) = item.cutOnce(at: "=")
      add(.header((name.unescaped ?? name).lowercased()), value ?? "")
    }
  }

  private mutating func add(query: String) {
    for item in query.cut(at: "&") where !item.isEmpty {
      let (name, value) = item.cutOnce(at: "=")
      add(.parameter(name.unescaped ?? name), value ?? "")
    }
  }
}
