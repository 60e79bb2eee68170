public import HTTPTypes
internal import StorageCrypto
internal import StorageXML

/// What a service answered to a request that it refused.
///
/// It can be the answer itself, or what is left of it in a log: the document, or the text of an SDK's error.
public struct RefusedAnswer: Sendable {
  /// The status; nothing where only the body was kept.
  public var status: Int?

  let headers: HTTPFields
  let code: String?
  let message: String?
  let details: [String: String]

  /// Reads an answer.
  ///
  /// - Parameters:
  ///   - response: The head.
  ///   - body: The body, or its beginning.
  public init(_ response: HTTPResponse, body: [UInt8]) {
    self.init(status: response.status.code, headers: response.headerFields, text: String(decoding: body, as: UTF8.self))
  }

  /// Reads an answer as it was copied: a document, with or without a head before it, or the text of an error.
  public init(_ text: String) {
    let text = String(decoding: text.utf8.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    guard text.hasPrefix("HTTP/") else {
      self.init(status: nil, headers: [:], text: text)
      return
    }
    var lines = text.lines[...]
    let status = lines.removeFirst().cut(at: " ").dropFirst().first.flatMap { Int($0) }
    var headers = HTTPFields()
    while let line = lines.first, !line.isEmpty {
      let (name, value) = line.cutOnce(at: ":")
      let trimmed = String((value ?? "").drop { $0 == " " })
      if let name = HTTPField.Name(name), HTTPField.isValidValue(trimmed) {
        headers.append(HTTPField(name: name, value: trimmed))
      }
      lines.removeFirst()
    }
    self.init(status: status, headers: headers, text: lines.dropFirst().joined(separator: "\n"))
  }

  private init(status: Int?, headers: HTTPFields, text: String) {
    self.status = status
    self.headers = headers
    let inHeader = HTTPField.Name("x-oss-err").flatMap { headers[$0] }.flatMap { [UInt8](base64: $0) }
    let document =
      Self.document(in: text) ?? inHeader.flatMap { Self.document(in: String(decoding: $0, as: UTF8.self)) }
    guard let document else {
      let code = Self.codes.first { text.contains($0) }
      self.code = code
      message = code == nil || text.isEmpty ? nil : text
      details = Self.texts(in: text)
      return
    }
    var details: [String: String] = [:]
    for child in document.children where child.children.isEmpty && details[child.name] == nil {
      details[child.name] = child.text
    }
    for name in ["StringToSign", "CanonicalRequest"] {
      if let exact = details["\(name)Bytes"].flatMap(Self.text(ofBytes:)) { details[name] = exact }
    }
    code = details["Code"]
    message = details["Message"]
    self.details = details
  }

  /// The element `Error` of a text that may have more around it.
  private static func document(in text: String) -> XMLNode? {
    guard let start = text.firstRange(of: "<Error>"), let end = text.firstRange(of: "</Error>"),
      start.lowerBound < end.lowerBound
    else { return nil }
    return try? XMLNode.parse(Array(text[start.lowerBound..<end.upperBound].utf8))
  }

  /// The text of bytes in hexadecimal with blanks between them, as OSS writes it.
  private static func text(ofBytes hex: String) -> String? {
    [UInt8](hex: String(decoding: hex.lowercased().utf8.filter { $0 > UInt8(ascii: " ") }, as: UTF8.self))
      .flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// A string to sign, or the text that it holds the hash of, which stands alone.
  private static func texts(in text: String) -> [String: String] {
    var lines = text.lines
    if lines.last?.isEmpty ?? false, lines.first == lines.first?.uppercased() { lines.removeLast() }
    let text = lines.joined(separator: "\n")
    guard lines.count > 2 else { return [:] }
    if lines[0] == "sha1" || lines[0].hasPrefix("OSS4-HMAC") { return ["StringToSign": text] }
    let methods = ["GET", "PUT", "POST", "HEAD", "DELETE", "OPTIONS"]
    if methods.contains(where: { $0.lowercased() == lines[0] }), lines[1].hasPrefix("/") {
      return ["FormatString": text]
    }
    guard methods.contains(lines[0]) else { return [:] }
    return [lines[1].hasPrefix("/") ? "CanonicalRequest" : "StringToSign": text]
  }

  /// Whether the answer can be about who sent the request and how it is signed.
  var concernsAuthorization: Bool {
    if status == 401 || status == 403 { return true }
    guard let code else {
      return details["StringToSign"] != nil || details["CanonicalRequest"] != nil || details["FormatString"] != nil
    }
    return Self.codes.contains(code)
  }

  /// The codes that a text without a document is searched for.
  private static let codes = [
    "SignatureDoesNotMatch", "RequestTimeTooSkewed", "InvalidAccessKeyId", "InvalidSecurityToken", "InvalidToken",
    "SecurityTokenExpired", "ExpiredToken", "InvalidArgument", "AccessDenied",
  ]
}

extension RefusedAnswer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The status and the code.
  public var description: String { "RefusedAnswer(\(status.map { "\($0) " } ?? "")\(code ?? "without a code"))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without what the service signed.
  public var customMirror: Mirror { Mirror(self, children: ["status": status as Any, "code": code as Any]) }
}

extension String {
  /// Where a text occurs first.
  fileprivate func firstRange(of text: String) -> Range<Index>? {
    var rest = self[...]
    while let start = rest.utf8.firstIndex(of: text.utf8.first ?? 0) {
      if rest[start...].utf8.starts(with: text.utf8) {
        return start..<rest.utf8.index(start, offsetBy: text.utf8.count)
      }
      rest = rest[rest.utf8.index(after: start)...]
    }
    return nil
  }
}
