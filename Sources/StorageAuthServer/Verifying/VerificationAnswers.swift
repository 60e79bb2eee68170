internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import StorageAuth
internal import StorageCrypto
internal import StorageJSON
internal import StorageXML

/// The form in which requests are refused whose signature is not accepted.
public enum RefusalFormat: Sendable, Hashable {
  /// The XML of the service whose signature it is, so that its SDKs understand it.
  case xml
  /// `{code, message}`.
  case json
}

/// How requests are answered whose signature is not accepted.
struct VerificationAnswers: Sendable {
  /// The most bytes of a message, or of a part of the request that is repeated.
  ///
  /// With the two texts of a comparison no refusal has more than 256 KiB.
  static let echoByteLimit = 4 * 1024

  /// The most bytes of each element of a refusal that goes into a header.
  private static let headerEchoByteLimit = 256

  enum Service: Sendable {
    case oss
    case cos
  }

  private let service: Service
  private let format: RefusalFormat

  init(_ service: Service, _ format: RefusalFormat) {
    self.service = service
    self.format = format
  }

  /// The answer for a signature that is not accepted.
  func answer(for error: VerificationError, to head: HTTPRequest, at date: Timestamp) -> Response {
    var details: [(String, String)] = []
    if let comparison = error.comparison {
      details.append(("StringToSign", comparison.stringToSign))
      if let text = comparison.canonicalRequest {
        details.append((service == .oss ? "CanonicalRequest" : "FormatString", text))
      }
    }
    if Self.isAboutTime(error) { details.append(("ServerTime", date.iso8601)) }
    let (status, code) = Self.status(of: error, service)
    return answer(status, code, "\(error.message) \(error.remedy)", details, to: head)
  }

  /// The answer for a request that is refused although its signature is right.
  func answer(for refusal: RequestRefusal, to head: HTTPRequest) -> Response {
    answer(refusal.status, refusal.code, refusal.message, [], to: head)
  }

  private func answer(
    _ status: HTTPResponse.Status, _ code: String, _ message: String, _ details: [(String, String)],
    to head: HTTPRequest
  ) -> Response {
    let response = full(status, code, message, details, to: head)
    return head.method == .head ? response.createHeadResponse() : response
  }

  private func full(
    _ status: HTTPResponse.Status, _ code: String, _ message: String, _ details: [(String, String)],
    to head: HTTPRequest
  ) -> Response {
    let message = message.shortened(to: Self.echoByteLimit)
    if format == .json { return .json(["code": .text(code), "message": .text(message)], status) }
    var elements = [XMLNode("Code", code), XMLNode("Message", message)]
    // OSS answers HEAD in a header, which has less room than a body.
    let limit = head.method == .head ? Self.headerEchoByteLimit : .max
    elements += details.map { XMLNode($0.0, $0.1.shortened(to: limit)) }
    elements.append(
      service == .oss
        ? XMLNode("HostId", (head.authority ?? "").shortened(to: Self.echoByteLimit))
        : XMLNode(
          "Resource",
          ((head.authority ?? "") + (head.path ?? "").bytes(before: "?")).shortened(to: Self.echoByteLimit)))
    let document = XMLNode("Error", children: elements).serialized()
    var fields: HTTPFields = [.contentType: "application/xml", .cacheControl: "no-store"]
    if head.method == .head, service == .oss, let name = HTTPField.Name("x-oss-err") {
      fields[name] = String(writing: { $0.append(base64: document.span) })
    }
    return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: document)))
  }

  private static func isAboutTime(_ error: VerificationError) -> Bool {
    [.expired, .lifetimeOutOfRange, .notYetValid, .clockSkew, .keyExpired].contains(error.code)
  }

  /// The status and the code that the service has for a problem; whatever has none of its own is a bad request.
  private static func status(
    of error: VerificationError, _ service: Service
  ) -> (HTTPResponse.Status, String) {
    switch error.code {
    case .unsigned, .missingDate, .expired, .lifetimeOutOfRange, .unsignedField: (.forbidden, "AccessDenied")
    case .unknownKey, .missingToken: (.forbidden, "InvalidAccessKeyId")
    case .invalidToken: (.forbidden, service == .oss ? "InvalidSecurityToken" : "InvalidToken")
    case .keyExpired: (.forbidden, service == .oss ? "SecurityTokenExpired" : "ExpiredToken")
    case .notYetValid, .clockSkew: (.forbidden, "RequestTimeTooSkewed")
    case .mismatch: (.forbidden, "SignatureDoesNotMatch")
    default: (.badRequest, "InvalidArgument")
    }
  }
}
