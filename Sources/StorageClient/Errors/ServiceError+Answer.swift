public import HTTPTypes
internal import StorageAuth
internal import StorageCrypto
internal import StorageXML

extension ServiceError {
  /// The most bytes of an error's body that are read.
  static let bodyLimit = 64 * 1024

  /// What a service says about an error: in the body, or in the header that stands in for it after a HEAD.
  static func document(_ response: HTTPResponse, body: [UInt8], dialect: ServiceDialect) -> XMLNode? {
    errorElement(in: body)
      ?? dialect.errorInHeader.flatMap { response.headerFields[$0] }.flatMap { [UInt8](base64: $0) }
      .flatMap { errorElement(in: $0) }
  }

  /// Reads the error that a service put into an answer whose status says success.
  init?(insideSuccess document: XMLNode, of response: HTTPResponse, subject: String, dialect: ServiceDialect) {
    guard document.name == "Error" else { return nil }
    self.init(document, of: response, subject: subject, dialect: dialect)
  }

  /// Reads an error; where there is no document, the status alone decides.
  init(_ document: XMLNode?, of response: HTTPResponse, subject: String, dialect: ServiceDialect) {
    func text(_ name: String) -> String? {
      document?[name].map(\.text).flatMap { $0.isEmpty ? nil : $0 }
    }
    let fields = response.headerFields
    let status = response.status
    self.init(
      code: text("Code") ?? Self.code(for: status), message: text("Message") ?? Self.message(for: status),
      status: status, isExplained: document != nil,
      requestID: text("RequestId") ?? fields[dialect.requestID],
      hostID: text("HostId"),
      detailCode: text("EC") ?? dialect.detailCode.flatMap { fields[$0] },
      subject: subject,
      serverTime: text("ServerTime").flatMap { Timestamp(iso8601: $0) }
        ?? fields[.date].flatMap { Timestamp(httpDate: $0) },
      serverStringToSign: text("StringToSign").map(SecretMask.namedValues.applied),
      serverCanonicalRequest: (text("CanonicalRequest") ?? text("FormatString")).map(SecretMask.namedValues.applied),
      retryAfter: fields[.retryAfter].flatMap { Self.duration($0, from: fields[.date]) })
  }

  /// Reads `Retry-After`: seconds, or a date that is compared with the service's own.
  private static func duration(_ retryAfter: String, from date: String?) -> Duration? {
    if let seconds = Int64(retryAfter) { return .seconds(max(0, seconds)) }
    guard let end = Timestamp(httpDate: retryAfter), let now = date.flatMap({ Timestamp(httpDate: $0) }) else {
      return nil
    }
    return max(.zero, now.duration(to: end))
  }

  private static func errorElement(in body: [UInt8]) -> XMLNode? {
    guard !body.isEmpty, let root = try? XMLNode.parse(body), root.name == "Error" else { return nil }
    return root
  }

  /// Reads an answer that is no success; for providers.
  ///
  /// The service's time, and how long it wants to be left alone, are taken from the head.
  ///
  /// - Parameters:
  ///   - response: The head of the answer.
  ///   - code: The service's code; made from the status if there is none.
  ///   - message: The service's message, without secrets.
  ///   - kind: What it means; found out from the code and the status if not given.
  ///   - requestID: The request id.
  ///   - subject: What the request was about.
  public init(
    _ response: HTTPResponse, code: String?, message: String?, kind: Kind? = nil, requestID: String? = nil,
    subject: String
  ) {
    let status = response.status
    let fields = response.headerFields
    self.init(
      code: code ?? Self.code(for: status), message: message ?? Self.message(for: status), status: status, kind: kind,
      isExplained: code != nil || message != nil, requestID: requestID, subject: subject,
      serverTime: fields[.date].flatMap { Timestamp(httpDate: $0) },
      retryAfter: fields[.retryAfter].flatMap { Self.duration($0, from: fields[.date]) })
  }

  private static func message(for status: HTTPResponse.Status) -> String {
    "The service answered \(status.code) without saying why."
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
}
