// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
internal import StorageAuth
internal import StorageCrypto
internal import StorageXML

/// The response of a service that refused a request.
///
/// It can be the response itself, or a part of it from a log: the XML document, or the message of an SDK's error.
public struct RefusedAnswer: Sendable {
  /// The status code, or `nil` if only the body is known.
  public var status: Int?

  private let headers: HTTPFields
  private let text: String
  private let document: [String: String]?

  /// Creates a response from its head and body.
  ///
  /// - Parameters:
  ///   - response: The head.
  ///   - body: The body, or its beginning.
  public init(_ response: HTTPResponse, body: [UInt8]) {
    self.init(status: response.status.code, headers: response.headerFields, text: String(decoding: body, as: UTF8.self))
  }

  /// Parses a copied response: an XML document, with or without a head before it, or the message of an error.
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

  /// Returns the text of each child of the element `Error` by its name, in a string that may contain other text.
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

  /// Parses the response by the conventions of a service.
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

  /// Returns the string whose bytes are given in hexadecimal with spaces between them, as services show it.
  private static func text(ofBytes hex: String) -> String? {
    [UInt8](hex: String(decoding: hex.lowercased().utf8.filter { $0 > UInt8(ascii: " ") }, as: UTF8.self))
      .flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// A parsed response.
  public struct Reading: Sendable {
    /// The status code, or `nil` if only the body is known.
    public let status: Int?

    /// The headers; empty if only the body is known.
    public let headers: HTTPFields

    /// The error code, such as `SignatureDoesNotMatch`.
    public let code: String?

    /// The error message.
    public let message: String?

    /// The texts of the document's elements, by their names.
    public let details: [String: String]

    /// The string to sign of the service.
    var stringToSign: String?

    /// The canonical request of the service.
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

    /// Stores a signed string that was copied without its document.
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

    /// Whether the service refused the request because of its sender.
    var isRefusal: Bool { status == 403 || status == 401 }

    /// Returns whether the response can be about the sender of the request and its signature.
    func concernsAuthorization(_ meanings: [String: RefusalMeaning]) -> Bool {
      if isRefusal { return true }
      guard let code else { return stringToSign != nil || canonicalRequest != nil }
      return meanings[code] != nil
    }

    /// Returns a time among the details.
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
  /// The status code and the error code.
  public var description: String {
    "RefusedAnswer(\(status.map { "\($0) " } ?? "")\(document?["Code"] ?? "without a code"))"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without the strings that the service signed.
  public var customMirror: Mirror {
    Mirror(self, children: ["status": status as Any, "code": document?["Code"] as Any])
  }
}

extension RefusedAnswer.Reading: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The status code and the error code.
  public var description: String { "Reading(\(status.map { "\($0) " } ?? "")\(code ?? "without a code"))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without the strings that the service signed.
  public var customMirror: Mirror { Mirror(self, children: ["status": status as Any, "code": code as Any]) }
}

extension String {
  /// Returns the range of the first occurrence of a string.
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
