// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// The parameters of a JWT grant in a request to a token endpoint (RFC 7523, section 2.1).
struct GrantRequest: Sendable {
  static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"

  /// The reason why a request is refused before its assertion is read.
  enum Problem: Error {
    case malformed(String)
    case grantType
    case client
    case secret
  }

  let client: LocalCloud.OAuthClient
  let assertion: String
  let scope: String?

  /// Reads the parameters of a request, and authenticates the client.
  init(_ call: InboundCall, _ clients: [LocalCloud.OAuthClient]) throws(Problem) {
    guard call.request.method == .post, let pairs = call.pairs, let parameters = CallParameters(pairs) else {
      throw .malformed("The body is not a form, or a parameter occurs twice.")
    }
    guard let type = parameters["grant_type"] else { throw .malformed("missing 'grant_type'") }
    guard type == Self.grantType else { throw .grantType }
    guard let assertion = parameters["assertion"] else { throw .malformed("missing 'assertion'") }
    let basic = try Self.basic(call)
    guard let id = parameters["client_id"] ?? basic?.id else { throw .malformed("missing 'client_id'") }
    guard let client = clients.first(where: { $0.id.utf8.elementsEqual(id.utf8) }) else { throw .client }
    if let basic {
      guard basic.id.utf8.elementsEqual(id.utf8), basic.secret == client.secret else { throw .secret }
    } else if client.requiresSecret {
      throw .secret
    }
    self.client = client
    self.assertion = assertion
    scope = parameters["scope"]
  }

  /// Returns the ID and the secret in the `Authorization` header, or `nil` if there is no such header.
  ///
  /// Both are encoded as in a form (RFC 6749, section 2.3.1).
  private static func basic(_ call: InboundCall) throws(Problem) -> (id: String, secret: Secret)? {
    guard call.request.headerFields[.authorization] != nil else { return nil }
    let words = call.authorization?.words(between: " ", atMost: 1).map(String.init) ?? []
    guard words.count == 2, words[0].asciiLowercased == "basic", let bytes = [UInt8](base64: words[1]),
      let pair = String(validating: bytes, as: UTF8.self)
    else { throw .secret }
    let parts = pair.parts(between: ":", atMost: 1).map { FormPair.read("\($0)=")?.first?.name }
    guard parts.count == 2, let id = parts[0], let secret = parts[1] else { throw .secret }
    return (id, Secret(secret))
  }
}
