internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto
internal import StorageXML

extension ServiceError {
  /// The most bytes of an error's body that are read.
  static let bodyLimit = 64 * 1024

  /// Reads an error from an answer: from the body, from the header that stands in for it after a HEAD, or from the
  /// status alone.
  init(_ response: HTTPResponse, body: [UInt8], subject: String, dialect: ServiceDialect) {
    let encoded = dialect.errorInHeader.flatMap { response.headerFields[$0] }.flatMap { [UInt8](base64: $0) }
    let document = Self.errorElement(in: body) ?? encoded.flatMap { Self.errorElement(in: $0) }
    self.init(document, of: response, subject: subject, dialect: dialect)
  }

  /// Reads the error that a service put into an answer whose status says success.
  init?(insideSuccess document: XMLNode, of response: HTTPResponse, subject: String, dialect: ServiceDialect) {
    guard document.name == "Error" else { return nil }
    self.init(document, of: response, subject: subject, dialect: dialect)
  }

  private init(_ document: XMLNode?, of response: HTTPResponse, subject: String, dialect: ServiceDialect) {
    func text(_ name: String) -> String? {
      document?[name].map(\.text).flatMap { $0.isEmpty ? nil : $0 }
    }
    let fields = response.headerFields
    let status = response.status
    self.init(
      code: text("Code") ?? Self.code(for: status),
      message: text("Message") ?? "The service answered \(status.code) without saying why.",
      status: status,
      requestID: text("RequestId") ?? fields[dialect.requestID],
      hostID: text("HostId"),
      detailCode: text("EC") ?? dialect.detailCode.flatMap { fields[$0] },
      subject: subject,
      serverTime: text("ServerTime").flatMap { Timestamp(iso8601: $0) }
        ?? fields[.date].flatMap { Timestamp(httpDate: $0) },
      serverStringToSign: text("StringToSign").map(Self.maskingTokens),
      serverCanonicalRequest: (text("CanonicalRequest") ?? text("FormatString")).map(Self.maskingTokens))
  }

  private static func errorElement(in body: [UInt8]) -> XMLNode? {
    guard !body.isEmpty, let root = try? XMLNode.parse(body), root.name == "Error" else { return nil }
    return root
  }

  private static func code(for status: HTTPResponse.Status) -> String {
    switch status.code {
    case 203: "CallbackFailed"
    case 304: "NotModified"
    case 403: "AccessDenied"
    case 404: "NotFound"
    case 412: "PreconditionFailed"
    case 416: "InvalidRange"
    default: "HTTP\(status.code)"
    }
  }

  /// The text with the value of every session token masked, in a header line or in a parameter.
  static func maskingTokens(in text: String) -> String {
    var result = ""
    var rest = Substring(text)
    while let name = rest.firstRange(of: "security-token"), let mark = rest[name.upperBound...].first {
      result += rest[..<name.upperBound]
      rest = rest[name.upperBound...]
      guard mark == ":" || mark == "=" else { continue }
      result.append(mark)
      let value = rest.dropFirst().prefix { !$0.isNewline && $0 != "&" && $0 != ";" }
      if !value.isEmpty { result += Secret.mask }
      rest = rest[value.endIndex...]
    }
    return result + rest
  }
}

extension Substring {
  /// Where a text occurs first.
  fileprivate func firstRange(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}
