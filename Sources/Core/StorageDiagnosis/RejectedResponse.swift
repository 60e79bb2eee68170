// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A response with which a service rejected a request.
///
/// It is created from the response, or from a part of it in a log: the XML document, or an SDK's error message.
public struct RejectedResponse: Sendable {
  /// The HTTP status code, or `nil` if only the body is known.
  public var status: Int?

  private let headers: HTTPFields
  private let text: String
  private let errorDocument: [String: String]?

  /// Creates a rejected response from the head and the body of a response.
  ///
  /// - Parameters:
  ///   - response: The head of the response.
  ///   - body: The body of the response, or its beginning.
  public init(_ response: HTTPResponse, body: [UInt8]) {
    self.init(status: response.status.code, headers: response.headerFields, text: String(decoding: body, as: UTF8.self))
  }

  /// Creates a rejected response by parsing a text that was copied from a log.
  ///
  /// - Parameter text: An XML document, with or without the status line and headers, or an SDK's error message.
  public init(_ text: String) {
    let text = String(decoding: text.utf8.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    guard text.hasBytePrefix("HTTP/") else {
      self.init(status: nil, headers: [:], text: text)
      return
    }
    var lines = text.lines[...]
    let status = lines.removeFirst().split(at: " ").dropFirst().first.flatMap { Int(digits: $0) }
    var headers = HTTPFields()
    while let line = lines.first, !line.isEmpty {
      let (name, rawValue) = line.splitOnce(at: ":")
      let value = String((rawValue ?? "").trimmingBlanks)
      if let name = HTTPField.Name(name), HTTPField.isValidValue(value) {
        headers.append(HTTPField(name: name, value: value))
      }
      lines.removeFirst()
    }
    self.init(status: status, headers: headers, text: lines.dropFirst().joined(separator: "\n"))
  }

  private init(status: Int?, headers: HTTPFields, text: String) {
    self.status = status
    self.headers = headers
    self.text = text
    errorDocument = Self.details(in: text)
  }

  /// Returns the text of each child of the element `Error`, by element name, in a string that may contain other text.
  private static func details(in text: String) -> [String: String]? {
    guard let start = text.utf8.firstRange(of: "<Error>".utf8), let end = text.utf8.firstRange(of: "</Error>".utf8),
      start.lowerBound < end.lowerBound,
      let document = try? XMLNode.parse(Array(text[start.lowerBound..<end.upperBound].utf8))
    else { return nil }
    var details: [String: String] = [:]
    for child in document.children where child.children.isEmpty && details[child.name] == nil {
      details[child.name] = child.text
    }
    return details
  }

  /// Returns the response as the reader's service documents it, from the error document or the text of a log.
  package func reading(by reader: some SignatureReader) -> Reading {
    // The response to a HEAD request has no body; its document is in a header.
    let documentInHeader = reader.errorCodes.headHeader.flatMap { headers[$0] }.flatMap { [UInt8](base64: $0) }
    let details = errorDocument ?? documentInHeader.flatMap { Self.details(in: String(decoding: $0, as: UTF8.self)) }
    guard var details else { return readingOfLog(by: reader) }
    // The bytes are exact, whereas an XML parser changes line endings in a text.
    for name in ["StringToSign", "CanonicalRequest"] {
      if let exactText = details["\(name)Bytes"].flatMap(Self.text(ofBytes:)) { details[name] = exactText }
    }
    return Reading(
      status: status, headers: headers, code: details["Code"], message: details["Message"], details: details,
      stringToSign: details["StringToSign"],
      canonicalRequest: details["CanonicalRequest"] ?? details[reader.errorCodes.canonicalRequestElement])
  }

  /// Returns the reading of a text without an error document, such as an SDK's error message.
  private func readingOfLog(by reader: some SignatureReader) -> Reading {
    // SDKs put the service's code first; a message after it can mention further codes.
    let mentionedCodes = reader.refusalMeanings.keys.compactMap { code in
      text.utf8.firstRange(of: code.utf8).map { (position: $0.lowerBound, code: code) }
    }
    let code = mentionedCodes.min { $0.position < $1.position }?.code
    var reading = Reading(
      status: status, headers: headers, code: code, message: code == nil || text.isEmpty ? nil : text, details: [:])
    reading.storeCopiedText(text, readBy: reader)
    return reading
  }

  /// Returns the string for bytes in hexadecimal with spaces between them, as services show the string to sign.
  private static func text(ofBytes hex: String) -> String? {
    [UInt8](hex: String(decoding: hex.lowercased().utf8.filter { $0 > UInt8(ascii: " ") }, as: UTF8.self))
      .flatMap { String(utf8: $0) }
  }
}

extension RejectedResponse: Redacted {
  /// The status code and the error code, without the strings that the service signed.
  public var description: String {
    "RejectedResponse(\(status.map { "\($0) " } ?? "")\(errorDocument?["Code"] ?? "without a code"))"
  }
}

extension RejectedResponse {
  /// A response that has been parsed according to the conventions of a service.
  public struct Reading: Sendable {
    /// The HTTP status code, or `nil` if only the body is known.
    public let status: Int?
    /// The response headers, which are empty if only the body is known.
    public let headers: HTTPFields
    /// The error code, such as `SignatureDoesNotMatch`, or `nil` if the response contains no error code.
    public let code: String?
    /// The error message, or `nil` if the response contains no error message.
    public let message: String?
    /// The text of each element in the error document, by element name.
    public let details: [String: String]
    /// The string to sign that the service computed, or `nil` if the response does not show it.
    var stringToSign: String?
    /// The canonical request that the service computed, or `nil` if the response does not show it.
    var canonicalRequest: String?

    /// A reading of a response that says only that the signature does not match.
    static let mismatch = Reading(status: 403, headers: [:], code: nil, message: nil, details: [:])

    /// Returns a reading that shows the given strings, unless the response shows its own.
    func showing(_ texts: SignedTexts?) -> Reading {
      guard !showsStrings, let texts else { return self }
      var reading = self
      reading.stringToSign = texts.stringToSign
      reading.canonicalRequest = texts.canonicalRequest
      return reading
    }

    /// Whether the response shows a string that the service signed.
    var showsStrings: Bool { stringToSign != nil || canonicalRequest != nil }
    /// Whether the status is the one of a request without an identity, or of one that is not allowed.
    var isRefusal: Bool { status == 403 || status == 401 }

    func mayBeMismatch(_ meanings: [String: RefusalMeaning]) -> Bool {
      guard let code else { return showsStrings || isRefusal }
      return meanings[code] == .mismatch
    }

    func concernsAuthorization(_ meanings: [String: RefusalMeaning]) -> Bool {
      isRefusal || code.map { meanings[$0] != nil } ?? showsStrings
    }

    /// Stores a string to sign or a canonical request that was copied without the document around it.
    mutating func storeCopiedText(_ text: String, readBy reader: some SignatureReader) {
      var lines = text.lines
      if lines.last?.isEmpty ?? false, !reader.endsTextsWithLineFeed { lines.removeLast() }
      // Both strings have at least three lines; a shorter text is an error message.
      guard lines.count > 2 else { return }
      switch reader.kind(ofCopiedText: lines) {
      case .stringToSign: stringToSign = lines.joined(separator: "\n")
      case .canonicalRequest: canonicalRequest = lines.joined(separator: "\n")
      case nil: break
      }
    }

    func time(inElement name: String) -> Timestamp? {
      details[name].flatMap { Timestamp(iso8601: $0) ?? Timestamp(iso8601Basic: $0) }
    }

    var serverTime: Timestamp? { time(inElement: "ServerTime") ?? headers[.date].flatMap { Timestamp(httpDate: $0) } }
  }
}

extension RejectedResponse.Reading: Redacted {
  /// The status code and the error code, without the strings that the service signed.
  public var description: String { "Reading(\(status.map { "\($0) " } ?? "")\(code ?? "without a code"))" }
}
