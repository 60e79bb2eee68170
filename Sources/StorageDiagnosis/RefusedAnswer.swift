public import HTTPTypes
internal import StorageAuth
internal import StorageCrypto
internal import StorageXML

/// What a service answered to a request that it refused.
///
/// It can be the answer itself, or what is left of it in a log: the document, or the text of an SDK's error.
public struct RefusedAnswer: Sendable {
  /// The status; `nil` where only the body was kept.
  public var status: Int?

  private let headers: HTTPFields
  private let text: String
  private let document: [String: String]?

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
    guard text.hasBytePrefix("HTTP/") else {
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
    self.text = text
    document = Self.details(in: text)
  }

  /// The texts of the element `Error` in a text that may have more around it, by their names.
  private static func details(in text: String) -> [String: String]? {
    guard let start = text.firstRange(of: "<Error>"), let end = text.firstRange(of: "</Error>"),
      start.lowerBound < end.lowerBound,
      let document = try? XMLNode.parse(Array(text[start.lowerBound..<end.upperBound].utf8))
    else { return nil }
    var details: [String: String] = [:]
    for child in document.children where child.children.isEmpty && details[child.name] == nil {
      details[child.name] = child.text
    }
    return details
  }

  /// Reads the answer in the words of a service.
  package func reading(by reader: some SignatureReader) -> Reading {
    let inHeader = reader.refusals.headHeader.flatMap { headers[$0] }.flatMap { [UInt8](base64: $0) }
    let details = document ?? inHeader.flatMap { Self.details(in: String(decoding: $0, as: UTF8.self)) }
    guard var details else {
      let codes = reader.meanings.keys.compactMap { code in text.firstRange(of: code).map { ($0, code) } }
      let code = codes.min { $0.0.lowerBound < $1.0.lowerBound }?.1
      var reading = Reading(
        status: status, headers: headers, code: code, message: code == nil || text.isEmpty ? nil : text, details: [:])
      reading.take(copied: text, by: reader)
      return reading
    }
    for name in ["StringToSign", "CanonicalRequest"] {
      if let exact = details["\(name)Bytes"].flatMap(Self.text(ofBytes:)) { details[name] = exact }
    }
    var reading = Reading(
      status: status, headers: headers, code: details["Code"], message: details["Message"], details: details)
    reading.stringToSign = details["StringToSign"]
    reading.canonicalRequest = details["CanonicalRequest"] ?? details[reader.refusals.canonicalRequestElement]
    return reading
  }

  /// The text of bytes in hexadecimal with blanks between them, as services write it.
  private static func text(ofBytes hex: String) -> String? {
    [UInt8](hex: String(decoding: hex.lowercased().utf8.filter { $0 > UInt8(ascii: " ") }, as: UTF8.self))
      .flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// What an answer says, in the words of its service.
  public struct Reading: Sendable {
    /// The status; `nil` where only the body was kept.
    public let status: Int?

    /// The headers; empty where only the body was kept.
    public let headers: HTTPFields

    /// The code, such as `SignatureDoesNotMatch`.
    public let code: String?

    /// The message.
    public let message: String?

    /// The texts of the document's elements, by their names.
    public let details: [String: String]

    /// The text that the service signed.
    var stringToSign: String?

    /// The text whose hash is in it.
    var canonicalRequest: String?

    fileprivate init(
      status: Int?, headers: HTTPFields, code: String?, message: String?, details: [String: String]
    ) {
      self.status = status
      self.headers = headers
      self.code = code
      self.message = message
      self.details = details
    }

    /// Takes over a signed text that stands alone.
    fileprivate mutating func take(copied text: String, by reader: some SignatureReader) {
      var lines = text.lines
      if lines.last?.isEmpty ?? false, !reader.endsTextsWithLineFeed { lines.removeLast() }
      guard lines.count > 2 else { return }
      switch reader.copiedText(lines) {
      case .stringToSign: stringToSign = lines.joined(separator: "\n")
      case .canonicalRequest: canonicalRequest = lines.joined(separator: "\n")
      case nil: break
      }
    }

    /// Whether the service refused for who sent the request.
    var isRefusal: Bool { status == 403 || status == 401 }

    /// Whether the answer can be about who sent the request and how it is signed.
    func concernsAuthorization(_ meanings: [String: RefusalMeaning]) -> Bool {
      if isRefusal { return true }
      guard let code else { return stringToSign != nil || canonicalRequest != nil }
      return meanings[code] != nil
    }

    /// An instant among the details.
    func instant(_ name: String) -> Timestamp? {
      details[name].flatMap { Timestamp(iso8601: $0) ?? Timestamp(iso8601Basic: $0) }
    }

    /// The service's time.
    var serverTime: Timestamp? {
      instant("ServerTime") ?? headers[.date].flatMap { Timestamp(httpDate: $0) }
    }
  }
}

extension RefusedAnswer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The status and the code.
  public var description: String {
    "RefusedAnswer(\(status.map { "\($0) " } ?? "")\(document?["Code"] ?? "without a code"))"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without what the service signed.
  public var customMirror: Mirror {
    Mirror(self, children: ["status": status as Any, "code": document?["Code"] as Any])
  }
}

extension RefusedAnswer.Reading: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The status and the code.
  public var description: String { "Reading(\(status.map { "\($0) " } ?? "")\(code ?? "without a code"))" }

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
