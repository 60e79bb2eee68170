public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// Authorizes requests to a Node API: Basic for node users and access keys, Bearer with the name of the access key.
///
/// ```swift
/// try AsperaNodeSigner().sign(&request, with: .accessKey(id: "my_key", secret: secret), in: .now)
/// ```
///
/// What is sent is the secret itself and not a signature, so a request that would go over plain HTTP to another machine
/// is refused. Neither the method, the path, the body nor the date is bound: the secret is good for any request.
public struct AsperaNodeSigner: Signer {
  /// What is authorized.
  public typealias Request = HTTPRequest
  /// What it is authorized with.
  public typealias SigningCredential = AsperaNodeAccess

  /// Whether `http` to another machine is allowed: whoever listens on the way has the secret then.
  public let allowsPlainHTTP: Bool

  /// Sets up a signer.
  ///
  /// - Parameter allowsPlainHTTP: Whether `http` to another machine is allowed.
  public init(allowsPlainHTTP: Bool = false) {
    self.allowsPlainHTTP = allowsPlainHTTP
  }

  /// Until when access has to live so that a request sent at `date` is accepted: two seconds, for the way to the node.
  public func requiredValidity(from date: Timestamp) -> Timestamp {
    date.advanced(by: .seconds(2))
  }

  /// Authorizes a request in its headers.
  ///
  /// - Parameters:
  ///   - request: The request; the headers `Authorization` and `X-Aspera-AccessKey` are replaced, nothing else changes.
  ///   - access: What it is authorized with.
  ///   - context: Not used: the time is no part of what is sent.
  /// - Throws: A `SigningError` if the access cannot be sent in a header, or if the request has no host or path that may
  ///   travel; the request is untouched then.
  public func sign(
    _ request: inout HTTPRequest, with access: AsperaNodeAccess, in context: SigningContext
  ) throws(SigningError) {
    try checkDestination(of: request)
    let fields = try Self.fields(for: access)
    request.headerFields[.authorization] = fields.authorization
    request.headerFields[.asperaAccessKey] = fields.accessKey
  }

  /// The values of the two headers.
  static func fields(
    for access: AsperaNodeAccess
  ) throws(SigningError) -> (authorization: String, accessKey: String?) {
    switch access.method {
    case .basic(let user, let password):
      return (try BasicAuthorization.value(user: user, password: password, .user), nil)
    case .accessKey(let id, let secret):
      return (try BasicAuthorization.value(user: id, password: secret, .accessKey), nil)
    case .bearer(let token, let id):
      let bare = BearerText.bare(token.reveal())
      try checkHeader(bare, "bearer token")
      try checkHeader(id, "access key id")
      return (BearerText.prefix + bare, id)
    }
  }

  private func checkDestination(of request: HTTPRequest) throws(SigningError) {
    guard let authority = request.authority, isHost(authority) else {
      throw SigningError(
        .invalidRequest, "The request has no host, or one that is malformed.",
        remedy: "Set the authority to the host of the node and its port.")
    }
    guard allowsPlainHTTP || request.scheme?.lowercased() != "http" || isLoopbackHost(authority) else {
      throw SigningError(
        .invalidRequest, "The request to \(authority) is not encrypted, and it carries a secret.",
        remedy: "Use https, or allow plain http in code if the way is trusted.")
    }
    guard let path = request.path, path.hasPrefix("/"), withBytes(of: path, { isWellFormedURLText($0) }) else {
      throw .unreadablePath
    }
  }

  /// The most bytes of what is sent in a header.
  private static let longestHeader = 16_384

  private static func checkHeader(_ text: String, _ name: String) throws(SigningError) {
    guard text.utf8.count <= longestHeader else {
      throw SigningError(
        .invalidCredential, "The \(name) has \(text.utf8.count) bytes; at most \(longestHeader) are sent.",
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

extension HTTPField.Name {
  /// The header that names the access key of a bearer token.
  package static let asperaAccessKey = known("X-Aspera-AccessKey")
}
