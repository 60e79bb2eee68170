// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The simulated instance metadata service, which returns only credentials, with and without tokens (IMDSv2, IMDSv1).
struct Metadata: SynchronousAPIHandler {
  private static let tokenPath = "/latest/api/token"
  /// The lifetime of credentials, in seconds, unless the role allows only a shorter one.
  private static let lifetime: Int64 = 21_600
  private static let tokenLength = 56
  /// The maximum lifetime of a metadata token, in seconds.
  private static let maximumTokenLifetime: Int64 = 21_600

  let endpoint = LocalCloud.Endpoint.metadata
  let issuer: Issuer
  let requiresToken: Bool
  private let tokens = ExpiringSet(capacity: 10_000)

  /// Returns whether a path belongs to the service, even if the service has no document with the path.
  static func isPath(_ path: String) -> Bool { path.hasBytePrefix("/latest/") || path.hasBytePrefix("/meta-data/") }

  func response(to call: InboundCall) throws(ErrorResponse) -> Answer {
    if call.path == Self.tokenPath { return try issueToken(for: call) }
    guard call.request.method == .get else { throw .methodNotAllowed(call.request.method.rawValue) }
    for format in ServicesGateway.keyServiceFormats {
      for path in format.metadataPaths {
        guard let name = Self.suffix(of: call.path, after: path) else { continue }
        if let headers = format.metadataTokenHeaders { try requireValidToken(in: headers, of: call) }
        return try credentials(in: format, named: name, for: call)
      }
    }
    throw Self.notFound
  }

  /// Returns an error response in plain text, like that of a web server without error documents.
  func response(for error: ErrorResponse, to call: InboundCall) -> Answer {
    Self.text("\(error.status.code) - \(error.status.reasonPhrase)\n", error.status)
  }

  private static let notFound = ErrorResponse(.notFound, "NotFound", "The item does not exist.")

  /// Returns what follows a prefix with a slash at its end, an empty string if only this slash is missing, or `nil`.
  private static func suffix(of path: String, after prefix: String) -> String? {
    if path.isIdentical(to: prefix.dropLast()) { return "" }
    return path.removingBytePrefix(prefix).map(String.init)
  }

  private static func text(_ text: String, _ status: HTTPResponse.Status = .ok) -> Answer {
    Answer(status, headers: [.contentType: "text/plain"], body: .bytes(Array(text.utf8)))
  }

  private func issueToken(for call: InboundCall) throws(ErrorResponse) -> Answer {
    guard call.request.method == .put else { throw .methodNotAllowed(call.request.method.rawValue) }
    let metadataTokens = ServicesGateway.keyServiceFormats.compactMap(\.metadataTokenHeaders)
    let lifetimes = metadataTokens.compactMap { call.header($0.lifetimeHeader) }
    guard lifetimes.count == 1, let seconds = Int64(digits: lifetimes[0]),
      (1...Self.maximumTokenLifetime).contains(seconds)
    else { throw ErrorResponse(.badRequest, "BadRequest", "The lifetime of the token must be 1 to 21,600 seconds.") }
    let token = RandomText.alphanumerics(Self.tokenLength)
    _ = tokens.insert(token, until: call.date.advanced(by: .seconds(seconds)), at: call.date)
    return Self.text(token)
  }

  /// Checks the metadata token in a request, which must be valid even if the server doesn't require one.
  private func requireValidToken(in headers: MetadataTokenHeaders, of call: InboundCall) throws(ErrorResponse) {
    let givenTokens = HTTPField.Name(headers.tokenHeader).map { call.request.headerFields[values: $0] } ?? []
    if givenTokens.isEmpty {
      guard requiresToken else { return }
      issuer.context.counters.count(endpoint) { $0.unsigned += 1 }
    } else if givenTokens.count == 1, tokens.contains(givenTokens[0], at: call.date) {
      return
    }
    throw ErrorResponse(
      headers.rejectionStatus, headers.rejectionStatus.reasonPhrase,
      "The metadata token is missing, invalid or expired.")
  }

  private func credentials(
    in format: KeyServiceFormat, named name: String, for call: InboundCall
  ) throws(ErrorResponse) -> Answer {
    guard let role = issuer.firstRole(of: format.provider) else { throw Self.notFound }
    if name.isEmpty { return Self.text(role.name) }
    guard name == role.name,
      let key = issuer.issueForFirstRole(
        of: format.provider, session: "instance", lifetime: Self.lifetime, by: endpoint, at: call.date)
    else { throw Self.notFound }
    return Answer(format.metadataDocument(key))
  }
}
