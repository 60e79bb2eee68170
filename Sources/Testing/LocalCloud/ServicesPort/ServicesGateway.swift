// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The request handler of the port that the token services, the app server and the instance metadata service share.
struct ServicesGateway: APIGateway {
  let context: CloudContext
  let bodyByteLimit = 256 * 1024
  let errorCodes = (tooLong: "InvalidParameter", failure: "InternalError")
  private let appServer: AppServer
  private let metadata: Metadata
  private let tokenServices: [any TokenService]

  init(_ services: LocalCloud.Services, _ context: CloudContext) {
    self.context = context
    let issuer = Issuer(services, context)
    appServer = AppServer(issuer: issuer, token: services.appToken)
    metadata = Metadata(issuer: issuer, requiresToken: services.requiresMetadataToken)
    tokenServices = Self.tokenServices(issuer)
  }

  func makeRequestID() -> String { BlobID.random().description.asciiUppercased }

  func endpoint(of request: HTTPRequest) -> LocalCloud.Endpoint {
    let path = InboundCall.path(of: request)
    if Self.keyServiceFormats.contains(where: { $0.appServerPath == path }) { return .appServer }
    return Metadata.isPath(path) ? .metadata : .sts
  }

  /// Returns the error for a target that cannot be read, or a `Host` header that does not name this machine.
  ///
  /// The check of the host protects the services without authentication from DNS rebinding attacks by web pages.
  func headError(of request: HTTPRequest) -> ErrorResponse? {
    if request.path?.utf8.first != UInt8(ascii: "/") { return .unreadableTarget }
    if endpoint(of: request) == .sts { return nil }
    // If the request has a second Host header, it is only found among the header fields.
    if LoopbackHost.isNamed(by: request.authority), request.headerFields.first("host") == nil { return nil }
    return ErrorResponse(
      .forbidden, "Forbidden", "The Host header does not name this machine. Use localhost or 127.0.0.1 in the URL.")
  }

  func handler(for call: InboundCall) -> any APIHandler {
    if let callbacks = context.callbacks, call.path == CallbackSender.keyPath {
      return CallbackKeyHandler(sender: callbacks)
    }
    return switch endpoint(of: call.request) {
    case .appServer: appServer
    case .metadata: metadata
    default: tokenServices.dropLast().first { $0.handles(call) } ?? tokenServices[tokenServices.count - 1]
    }
  }
}

/// The paths, headers and formats with which a vendor's app server and instance metadata service return credentials.
struct KeyServiceFormat: Sendable {
  let provider: LocalCloud.Provider
  let appServerPath: String
  /// The accepted prefixes of the app token in the `Authorization` header of requests to the app server.
  var authorizationPrefixes = ["Bearer "]
  /// The paths of the vendor's instance metadata with credentials, without the role name that follows.
  let metadataPaths: [String]
  /// The headers for metadata tokens (IMDSv2), or `nil` if the vendor's metadata service has no tokens.
  var metadataTokenHeaders: MetadataTokenHeaders?
  let appServerDocument: @Sendable (_ key: RevealedKey, _ requestID: String) -> JSONValue
  let errorDocument: @Sendable (ErrorResponse) -> JSONValue
  let metadataDocument: @Sendable (RevealedKey) -> JSONValue
}

/// The headers that a vendor's instance metadata service uses for metadata tokens (IMDSv2).
struct MetadataTokenHeaders: Sendable {
  /// The name of the header that requests the lifetime of a new token, in seconds.
  let lifetimeHeader: String
  let tokenHeader: String
  var rejectionStatus = HTTPResponse.Status.forbidden
}
