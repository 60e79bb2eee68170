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

/// The responses to requests that a middleware rejects, with the error codes of a service.
struct RefusalResponses: Sendable {
  /// The maximum size, in bytes, of a message, or of a part of the request that a response repeats.
  static let echoByteLimit = 4 * 1024
  /// The maximum size, in bytes, of each element of a refusal in a header.
  private static let headerEchoByteLimit = 256
  private typealias Detail = (element: String, text: String)
  let errorCodes: ServiceErrorCodes
  let format: RefusalFormat

  func response(for error: VerificationError, to request: HTTPRequest, at date: Timestamp) -> Response {
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
      refusal.status, code: refusal.code, message: "\(error.message) \(error.remedy)", details: details, to: request)
  }

  func response(for refusal: RequestRefusal, to request: HTTPRequest) -> Response {
    response(refusal.status, code: refusal.code, message: refusal.message, to: request)
  }

  private func response(
    _ status: HTTPResponse.Status, code: String, message: String, details: [Detail] = [], to request: HTTPRequest
  ) -> Response {
    let shownMessage = message.shortened(to: Self.echoByteLimit)
    let isMethodHEAD = request.method == .head
    var response: Response
    switch format {
    case .json: response = .json(["code": .string(code), "message": .string(shownMessage)], status)
    case .xml:
      // The response to HEAD has the document in a header, which has less space than a body.
      let detailByteLimit = isMethodHEAD ? Self.headerEchoByteLimit : .max
      let shownDetails = details.map { XMLNode($0.element, $0.text.shortened(to: detailByteLimit)) }
      let elements = [XMLNode("Code", code), XMLNode("Message", shownMessage)] + shownDetails + [subject(of: request)]
      let document = XMLNode("Error", children: elements).serialized()
      response = Response(
        status: status, headers: [.contentType: "application/xml", .cacheControl: "no-store"],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: document)))
      if isMethodHEAD, let name = errorCodes.headHeader { response.headers[name] = document.base64 }
    }
    return isMethodHEAD ? response.createHeadResponse() : response
  }

  /// Returns the element that names the host or the object of a request, as the service does.
  private func subject(of request: HTTPRequest) -> XMLNode {
    let host = request.authority ?? ""
    let (elementName, text) =
      switch errorCodes.subject {
      case .host(let name): (name, host)
      case .resource(let name): (name, host + (request.path ?? "").bytes(before: "?"))
      }
    return XMLNode(elementName, text.shortened(to: Self.echoByteLimit))
  }
}

/// A reason to reject a request, for example one whose signature is valid but was used before.
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
