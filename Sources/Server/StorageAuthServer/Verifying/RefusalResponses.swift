// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Hummingbird
internal import StorageCrypto

/// The format of responses to requests whose signature is rejected.
public enum RefusalFormat: Sendable, Hashable {
  /// The XML format of the request's service, which the service's SDKs can parse.
  case xml
  /// A JSON object of the form `{code, message}`.
  case json
}

struct RefusalResponses: Sendable {
  /// The maximum size, in bytes, of a message, or of a part of the request that a response repeats.
  static let echoByteLimit = 4 * 1024
  /// The maximum size, in bytes, of each element of a refusal in a header.
  private static let headerEchoByteLimit = 256
  private typealias Detail = (element: String, text: String)
  private let errorCodes: ServiceErrorCodes
  private let format: RefusalFormat

  init(_ errorCodes: ServiceErrorCodes, _ format: RefusalFormat) {
    self.errorCodes = errorCodes
    self.format = format
  }

  func response(for error: VerificationError, to head: HTTPRequest, at date: Timestamp) -> Response {
    var details: [Detail] = []
    if let comparison = error.comparison {
      details.append(("StringToSign", comparison.stringToSign))
      if let canonicalRequest = comparison.canonicalRequest {
        details.append((errorCodes.canonicalRequestElement, canonicalRequest))
      }
    }
    // A client can correct its clock with the server's time.
    let concernsTime = [.expired, .lifetimeOutOfRange, .notYetValid, .clockSkew, .keyExpired].contains(error.code)
    if concernsTime { details.append(("ServerTime", date.iso8601)) }
    let refusal = errorCodes[error]
    return response(
      refusal.status, code: refusal.code, message: "\(error.message) \(error.remedy)", details: details, to: head)
  }

  func response(for refusal: RequestRefusal, to head: HTTPRequest) -> Response {
    response(refusal.status, code: refusal.code, message: refusal.message, to: head)
  }

  private func response(
    _ status: HTTPResponse.Status, code: String, message: String, details: [Detail] = [], to head: HTTPRequest
  ) -> Response {
    let message = message.shortened(to: Self.echoByteLimit)
    let isHead = head.method == .head
    if format == .json {
      let response = Response.json(["code": .string(code), "message": .string(message)], status)
      return isHead ? response.createHeadResponse() : response
    }
    var elements = [XMLNode("Code", code), XMLNode("Message", message)]
    // The response to HEAD has the refusal in a header, which has less space than a body.
    let detailByteLimit = isHead ? Self.headerEchoByteLimit : .max
    elements += details.map { XMLNode($0.element, $0.text.shortened(to: detailByteLimit)) }
    let host = head.authority ?? ""
    let (subjectElement, subject) =
      switch errorCodes.subject {
      case .host(let name): (name, host)
      case .resource(let name): (name, host + (head.path ?? "").bytes(before: "?"))
      }
    elements.append(XMLNode(subjectElement, subject.shortened(to: Self.echoByteLimit)))
    let document = XMLNode("Error", children: elements).serialized()
    var headers: HTTPFields = [.contentType: "application/xml", .cacheControl: "no-store"]
    if isHead, let name = errorCodes.headHeader { headers[name] = String(writing: { $0.append(base64: document) }) }
    let body = ResponseBody(byteBuffer: ByteBuffer(bytes: document))
    let response = Response(status: status, headers: headers, body: body)
    return isHead ? response.createHeadResponse() : response
  }
}

/// A reason to reject a request that is authenticated.
struct RequestRefusal: Error {
  let status: HTTPResponse.Status
  let code: String
  let message: String

  static let replayed = RequestRefusal(
    status: .forbidden, code: "RequestReplayed", message: "The signature was used before. Sign the request anew.")
  static let ownerQuotaExceeded = RequestRefusal(
    status: .serviceUnavailable, code: "ServiceBusy",
    message: "Too many signatures of this key that are still valid were used. Try again when they have expired.")
  static let replayStoreUnavailable = RequestRefusal(
    status: .serviceUnavailable, code: "ServiceUnavailable",
    message: "The server cannot tell at the moment whether the signature was used before. Try again later.")
  static let invalidDigest = RequestRefusal(
    status: .badRequest, code: "InvalidDigest", message: "The Content-MD5, or the SHA-256 of the body, is not a hash.")
  static let bodyMismatch = RequestRefusal(
    status: .badRequest, code: "BadDigest", message: "The body does not match the hash in the request.")

  /// Returns the refusal for a bucket name, with a predicate such as “is empty”.
  static func invalidBucket(_ problem: String) -> RequestRefusal {
    RequestRefusal(
      status: .badRequest, code: "InvalidBucketName", message: "The bucket \(problem). Name a bucket without that.")
  }

  /// Returns the refusal for a key, with a predicate such as “ends with a slash”.
  static func invalidKey(_ problem: String) -> RequestRefusal {
    RequestRefusal(
      status: .badRequest, code: "InvalidObjectName", message: "The key \(problem). Use a key without that.")
  }
}

extension Response {
  static func refusal(_ refusal: RequestRefusal) -> Response {
    json(["code": .string(refusal.code), "message": .string(refusal.message)], refusal.status)
  }

  static func json(_ document: JSONValue, _ status: HTTPResponse.Status = .ok) -> Response {
    json(document.serialized, status)
  }

  /// Returns a response with serialized JSON, which clients must not cache.
  static func json(_ document: [UInt8], _ status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: document)))
  }
}
