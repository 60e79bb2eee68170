// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
internal import StorageCrypto

/// A signer that authorizes requests to an Aspera Node API.
///
/// ```swift
/// try AsperaNodeSigner().sign(&request, with: .accessKey(id: "my_key", secret: secret), in: .now)
/// ```
///
/// Node users and access keys use Basic authorization, bearer tokens use Bearer authorization. As in IBM's OpenAPI
/// description, the headers are `Authorization`, and for bearer tokens also `X-Aspera-AccessKey` with the access key.
///
/// The headers contain the secret itself and not a signature, so the signer rejects requests over plain HTTP to other
/// machines. The headers are not bound to the request: a client that obtains them can authorize any request.
public struct AsperaNodeSigner: Signer {
  /// The type of the requests that this signer authorizes.
  public typealias Request = HTTPRequest
  /// The type of the credentials that this signer uses.
  public typealias SigningCredential = AsperaNodeAccess

  /// Whether the signer authorizes requests over `http` to other machines.
  ///
  /// An attacker who can read a request over `http` obtains the secret.
  public let allowsPlainHTTP: Bool

  /// Creates a signer for requests to an Aspera Node API.
  ///
  /// - Parameter allowsPlainHTTP: Whether the signer authorizes requests over `http` to other machines.
  public init(allowsPlainHTTP: Bool = false) { self.allowsPlainHTTP = allowsPlainHTTP }

  /// Authorizes a request by setting its `Authorization` and `X-Aspera-AccessKey` headers.
  ///
  /// - Parameters:
  ///   - request: The request to authorize. The headers `Authorization` and `X-Aspera-AccessKey` are replaced, or
  ///     removed if the credential does not use them. Other parts of the request do not change.
  ///   - access: The credential to use.
  ///   - context: The signing context, which is ignored because the headers do not depend on the time.
  /// - Throws: A `SigningError` if the credential cannot be sent in a header, if the request has no valid host or path,
  ///   or if the request is not encrypted and plain HTTP is not permitted. On error, the request is unchanged.
  public func sign(
    _ request: inout HTTPRequest, with access: AsperaNodeAccess, in context: SigningContext
  ) throws(SigningError) {
    try checkDestination(of: request)
    let headers = try Self.headers(of: access)
    request.headerFields[.authorization] = headers.authorization
    request.headerFields[.asperaAccessKey] = headers.accessKey
  }

  static func headers(of access: AsperaNodeAccess) throws(SigningError) -> (authorization: String, accessKey: String?) {
    switch access.method {
    case .basic(let user, let password):
      return (try BasicAuthorization.value(user: user, password: password, terms: .nodeUser), nil)
    case .accessKey(let id, let secret):
      return (try BasicAuthorization.value(user: id, password: secret, terms: .accessKey), nil)
    case .bearer(let token, let id):
      let bareToken = BearerText.withoutPrefix(token.reveal())
      try requireHeaderText(bareToken, named: "bearer token")
      try requireHeaderText(id, named: "access key id")
      return (BearerText.prefix + bareToken, id)
    }
  }

  /// Checks that the request goes to one host and path, over a connection on which the secret cannot be read.
  private func checkDestination(of request: HTTPRequest) throws(SigningError) {
    guard let authority = request.authority, isHost(authority) else {
      throw SigningError(
        .invalidRequest, "The request has no host, or one that is malformed.",
        remedy: "Set the authority to the host of the node and its port.")
    }
    guard allowsPlainHTTP || request.scheme?.lowercased() != "http" || LoopbackHost.isNamed(by: authority) else {
      throw SigningError(
        .invalidRequest, "The request to \(authority) is not encrypted, and it carries a secret.",
        remedy: "Use https, or allow plain http in code if the way is trusted.")
    }
    guard let path = request.path, path.beginsWithByte("/"), withBytes(of: path, { isWellFormedURLText($0) }) else {
      throw .unreadablePath
    }
  }

  /// The maximum length of a header value in bytes, which is more than servers usually accept.
  private static let headerByteLimit = 16_384

  private static func requireHeaderText(_ text: String, named name: String) throws(SigningError) {
    guard text.utf8.count <= headerByteLimit else {
      throw SigningError(
        .invalidCredential, "The \(name) has \(text.utf8.count) bytes; at most \(headerByteLimit) are sent.",
        remedy: "Check that it is a \(name) and not a file or a page.")
    }
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 > UInt8(ascii: " ") && $0 < 0x7f }) else {
      throw SigningError(
        .invalidCredential,
        text.isEmpty
          ? "The \(name) is empty." : "The \(name) holds a blank, a line break or a character that is not ASCII.",
        remedy: "Copy it again; a line break at its end is the usual cause.")
    }
  }
}

extension HTTPField.Name { package static let asperaAccessKey = known("X-Aspera-AccessKey") }

/// The value of an `Authorization` header in the Basic scheme (RFC 7617, section 2), which basic tokens have as well.
enum BasicAuthorization {
  /// The words for the user and the password in errors.
  struct Terms {
    let user: String
    let password: String

    static let nodeUser = Terms(user: "node user", password: "password")
    static let accessKey = Terms(user: "access key id", password: "secret of the access key")
  }

  /// Returns the value for a node user or an access key, or throws if a part is empty or cannot be encoded.
  static func value(user: String, password: Secret, terms: Terms) throws(SigningError) -> String {
    guard !user.utf8.contains(UInt8(ascii: ":")) else {
      throw SigningError(
        .invalidCredential, "The \(terms.user) holds a colon, which separates it from the \(terms.password).",
        remedy: "Use only the \(terms.user), without the \(terms.password) after it.")
    }
    try requirePrintable(Secret(user), named: terms.user)
    try requirePrintable(password, named: terms.password)
    return value { writer in
      writer.append(user)
      writer.append(UInt8(ascii: ":"))
      password.bytes.withBytes { writer.append($0) }
    }
  }

  /// Returns the value for an OAuth 2.0 client, whose ID and secret are encoded as in a form (RFC 6749, section 2.3.1).
  static func value(clientID: String, secret: Secret) -> String {
    value { writer in
      writer.append(clientID.percentEncoded())
      writer.append(UInt8(ascii: ":"))
      writer.append(percentEncoding: secret)
    }
  }

  private static func value(writingCredential body: (inout ByteWriter) -> Void) -> String {
    var credential = [UInt8](writing: body)
    defer { wipe(&credential) }
    return "Basic " + String(writing: { $0.append(base64: credential) })
  }

  private static func requirePrintable(_ text: Secret, named name: String) throws(SigningError) {
    let hasNoControlCharacter = text.bytes.withBytes { bytes in
      bytes.indices.allSatisfy { bytes[$0] >= 0x20 && bytes[$0] != 0x7f }
    }
    guard hasNoControlCharacter, !text.isEmpty else {
      throw SigningError(
        .invalidCredential,
        text.isEmpty ? "The \(name) is empty." : "The \(name) holds a line break or a control character.",
        remedy: "Copy it again; a line break at its end is the usual cause.")
    }
  }
}
