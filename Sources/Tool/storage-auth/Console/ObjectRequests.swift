// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Hummingbird
internal import LocalCloud
internal import StorageClient

struct NamedObject: Sendable {
  let provider: LocalCloud.Provider
  let bucket: String
  let key: String
}

/// The requests for objects that a console sends with presigned URLs to its local cloud, which lists and verifies them.
struct ObjectRequests: Sendable {
  private static let consoleURLLifetime = Duration.seconds(60)
  private static let errorDocumentByteLimit = 64 * 1024
  let cloud: LocalCloud
  var transport: any HTTPTransport = .platformDefault

  /// The key that signs: one of the server's own account, preferably without a session token.
  var key: AccessKey? {
    let keys = cloud.configuration.accounts.filter { !$0.isDisabled && $0.number == nil }.map(\.key)
    return keys.first { $0.sessionToken == nil } ?? keys.first
  }

  func presign(
    _ method: HTTPRequest.Method, _ object: NamedObject, headers: HTTPFields = [:], validFor duration: Duration
  ) throws -> PresignedRequest {
    guard let key, let name = CloudName(argument: object.provider.rawValue) else {
      throw HTTPError(.conflict, message: "No key of the server's own account is enabled. Start serve with --account.")
    }
    let region = cloud.region(of: object.provider)
    let location = try ServiceLocation(
      region: region, endpoint: cloud.url(of: object.provider), variables: [], localRegion: region)
    func presignedRequest(by provider: some PresigningProvider<AccessKey>) throws(SigningError) -> PresignedRequest {
      let request = try provider.endpoint.request(method, bucket: object.bucket, key: object.key, headers: headers)
      return try provider.presigner.presign(request, with: key, validFor: duration, in: .at(cloud.now))
    }
    do {
      return try presignedRequest(by: name.cloud.provider(of: object.bucket, at: location, style: .path, .v4))
    } catch let error as SigningError {
      throw HTTPError(.badRequest, message: "\(error.message) \(error.remedy)")
    }
  }

  func send(
    _ method: HTTPRequest.Method, _ object: NamedObject, headers: HTTPFields = [:], range: String? = nil,
    body: HTTPBody = .none
  ) async throws -> HTTPStreamingResponse {
    let presigned = try presign(method, object, headers: headers, validFor: Self.consoleURLLifetime)
    let endpoint = cloud.endpoint(of: object.provider)
    let target = presigned.url.utf8.dropFirst("\(endpoint.scheme)://\(endpoint.authority)".utf8.count)
    var request = HTTPRequest(
      method: method, scheme: endpoint.scheme, authority: endpoint.authority,
      path: String(decoding: target, as: UTF8.self), headerFields: presigned.headers)
    request.headerFields[.range] = range
    if method == .put { request.headerFields[.contentLength] = String(body.length) }
    let reply: HTTPStreamingResponse
    do {
      reply = try await transport.send(request, body: body)
    } catch {
      throw HTTPError(.badGateway, message: "The service did not respond: \(error.message)")
    }
    guard reply.response.status.kind != .successful else { return reply }
    throw HTTPError(reply.response.status, message: try await Self.errorMessage(in: reply))
  }

  /// Returns the code and the message of an error document, or the status if there is no document.
  private static func errorMessage(in reply: HTTPStreamingResponse) async throws -> String {
    var bytes: [UInt8] = []
    for try await chunk in reply.body where bytes.count < errorDocumentByteLimit { bytes += chunk }
    guard let document = try? XMLNode.parse(bytes), let code = document["Code"]?.text else {
      return "The service responded with the status \(reply.response.status.code)."
    }
    return SecretMask.namedValues.applied(to: "\(code): \(document["Message"]?.text ?? "")").onOneLine
  }
}
