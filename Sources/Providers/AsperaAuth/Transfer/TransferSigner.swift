// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth
internal import StorageCrypto

/// A signer that adds an account and a grant to a transfer specification.
///
/// The host, the user and the ports in the grant take precedence over those of the account. The signed specification
/// contains only the account's credential and only the grant's token.
///
/// - The account, the grant or the specification can pin a host key. If different host keys are pinned, the transfer is
///   rejected.
/// - A password is sent only to the host and the user to which it belongs. A grant for another user is rejected. A
///   grant for another host is rejected, unless the account pins the host key.
/// - A session over a WebSocket (`wss_enabled`) checks neither an account nor a host key. If the signer has an account,
///   `wss_enabled` is ignored in a grant and rejected in a specification. If the specification itself requests a
///   WebSocket, the host key that a grant names for SSH is ignored, the port of the specification counts more than that
///   of a grant, and the port is 443 if neither contains one.
///
/// Sign a new copy of the unsigned specification each time, because a signed copy keeps the host key that an earlier
/// grant pinned.
///
/// ```swift
/// let signed = try TransferSigner(account: account).signed(spec, with: grant, in: .now)
/// ```
public struct TransferSigner: Signer {
  /// The account that logs in, or `nil` if the specification contains the credential or a WebSocket makes a login
  /// unnecessary.
  public let account: AsperaAccount?

  /// Creates a signer for transfer specifications.
  ///
  /// - Parameter account: The account that logs in, or `nil` if the specification contains the credential or a
  ///   WebSocket makes a login unnecessary.
  public init(account: AsperaAccount?) {
    self.account = account
  }

  /// Returns the time until which a grant must be valid for a transfer that is signed at the given date: two minutes
  /// later.
  ///
  /// A server checks the token after the connection, the login and the start of its own ascp process. Two minutes are
  /// more than a server waits for a login. A running transfer is not stopped when its token expires.
  public func requiredValidity(from date: Timestamp) -> Timestamp { date.advanced(by: .seconds(120)) }

  /// Signs a transfer specification with a grant.
  ///
  /// - Parameters:
  ///   - request: The specification to sign. The account replaces the server and the credentials in the specification.
  ///   - credential: The grant. If it has no token, the token in the specification is used.
  ///   - context: The signing context, which contains the current time.
  /// - Throws: A `SigningError` if the grant has expired, if the account, the grant and the specification contradict
  ///   each other, if a required token is missing, or if the specification cannot be carried out. On error, the
  ///   specification is unchanged.
  public func sign(
    _ request: inout TransferSpec, with credential: TransferCredential, in context: SigningContext
  ) throws(SigningError) {
    if let end = credential.expiration, end <= context.date {
      throw .credentialEndsFirst(end, required: context.date)
    }
    do {
      var signed = request
      let wantsWebSocket = request.offersWebSocket == true
      if let account { try signed.put(account) }
      if let response = credential.specification { try signed.take(response, takesWebSocket: account == nil) }
      if let account { try signed.authenticate(as: account) }
      if wantsWebSocket, let response = credential.specification { try signed.keepWebSocket(of: request, response) }
      try signed.pin(account?.hostKey, wantsWebSocket ? nil : credential.specification?.sshfp)
      try signed.present(
        credential.token?.secret ?? credential.specification?.token, isRequired: account?.requiresToken ?? false)
      try signed.checkPlace()
      try signed.validate()
      request = signed
    } catch {
      throw SigningError(error)
    }
  }
}

/// The steps in which ``TransferSigner`` signs a specification.
extension TransferSpec {
  /// Replaces the server, the user and the ports in the specification with those of an account.
  mutating func put(_ account: AsperaAccount) throws(AsperaError) {
    if offersWebSocket == true {
      throw Self.invalid(
        "requests a WebSocket, over which no account is checked",
        "Leave wss_enabled out, or sign without an account.")
    }
    remoteHost = account.host
    remoteUser = account.user
    sshPort = account.sshPort
    udpPort = account.udpPort
  }

  /// Replaces all credentials in the specification with the account's credential.
  mutating func authenticate(as account: AsperaAccount) throws(AsperaError) {
    let (password, key) = account.credentials
    if password != nil { try checkAddressee(account) }
    remotePassword = password
    sshPrivateKey = key.flatMap { if case .pem(let text) = $0.source { text } else { nil } }
    sshPrivateKeyPath = key.flatMap { if case .file(let path) = $0.source { path } else { nil } }
    sshPrivateKeyPassphrase = key?.passphrase
  }

  /// Keeps the WebSocket that the caller requested, if the server of a grant does not exclude it.
  mutating func keepWebSocket(of own: TransferSpec, _ response: TransferSpec) throws(AsperaError) {
    guard response.offersWebSocket != false else {
      throw Self.mismatch(
        "says that the server has no WebSocket, which the transfer requests", "Log in over SSH, with an account.")
    }
    webSocketPort = own.webSocketPort ?? webSocketPort ?? Self.defaultWebSocketPort
  }

  /// The port of WebSockets on servers that name no other, which is the port of HTTPS.
  private static let defaultWebSocketPort = 443

  /// Checks that the account's password is sent only to the user and the server to which it belongs.
  ///
  /// Passwords need this check because a server learns a password that it receives. A login with a key does not
  /// disclose the key.
  private func checkAddressee(_ account: AsperaAccount) throws(AsperaError) {
    guard remoteUser == account.user else {
      throw Self.mismatch(
        "names another user than the account, whose password must be sent only for its own user",
        "Use the account of the user that the issuer names, or request a token for \(account.user).")
    }
    guard remoteHost?.lowercased() == account.host.lowercased() || account.hostKey != nil else {
      throw Self.mismatch(
        "names another host than the account, and the account pins no host key: its password would be sent to any host",
        "Give the account the host that the issuer names, or pin the server's host key.")
    }
  }

  /// Pins the host key in the specification, or throws if the account, the specification and the grant pin different
  /// keys.
  mutating func pin(_ own: HostKeyFingerprint?, _ granted: String?) throws(AsperaError) {
    var pins: Set<HostKeyFingerprint> = own.map { [$0] } ?? []
    for text in [sshfp, granted] {
      if let text, !text.isEmpty { pins.insert(try HostKeyFingerprint(text)) }
    }
    guard pins.count < 2 else {
      throw AsperaError(
        .invalidHostKey, "Account, specification and grant pin different host keys.",
        remedy: "Find out which key the server has; a server publishes one of its keys and may show another.")
    }
    sshfp = pins.first?.description
  }

  /// Sets the token in the specification, or keeps the present token if the given token is `nil`.
  mutating func present(_ token: Secret?, isRequired: Bool) throws(AsperaError) {
    if let token { self.token = token }
    guard !isRequired || filled("token") != nil else {
      throw AsperaError(
        .invalidToken, "The account requires a token for each transfer, and there is none.",
        remedy: "Give the session a token, or an issuer of tokens.")
    }
  }

  /// Checks that the specification contains a server and a user.
  func checkPlace() throws(AsperaError) {
    guard filled("remote_host") != nil else {
      throw Self.invalid("has no server", "Sign it with an account, or set remote_host.")
    }
    guard filled("remote_user") != nil else {
      throw Self.invalid(
        "has no user", "Sign it with an account, or set remote_user: servers let access keys in as xfer.")
    }
  }
}

extension AsperaAccount {
  /// The password or the private key of the account, exactly one of which is not `nil`.
  fileprivate var credentials: (password: Secret?, key: AsperaPrivateKey?) {
    switch authentication {
    case .password(let password): (password, nil)
    case .privateKey(let key): (nil, key)
    }
  }
}

extension SigningError {
  /// Converts an error of this module to a signing error.
  init(_ error: AsperaError) {
    let code: Code =
      switch error.code {
      case .ambiguousCredential, .missingCredential, .invalidToken, .malformedKey: .invalidCredential
      default: .invalidRequest
      }
    self.init(code, error.message, remedy: error.remedy)
  }
}

extension TransferSpec {
  /// The fields that a grant can set for any transfer.
  ///
  /// Paths, tags, cipher and host key have separate rules.
  private static let grantable = [
    "remote_host", "remote_user", "ssh_port", "fasp_port", "rate_policy", "rate_policy_allowed", "target_rate_kbps",
    "target_rate_cap_kbps", "min_rate_kbps", "min_rate_cap_kbps",
  ]

  /// Merges the permitted fields of a grant's specification into this specification.
  ///
  /// An issuer decides on behalf of the server about its address, its users, its rates, and paths on the server. It
  /// does not decide on behalf of this machine, so credentials, options and local paths in the grant are ignored. A
  /// field that is `null` or an empty string is also ignored.
  ///
  /// - Parameters:
  ///   - response: The specification in the grant.
  ///   - takesWebSocket: Whether the session may use a WebSocket, which requires that there is no account.
  /// - Throws: An ``AsperaError`` if the grant is for another transfer.
  mutating func take(_ response: TransferSpec, takesWebSocket: Bool) throws(AsperaError) {
    if let other = response.filled("direction"), other != text("direction") {
      throw Self.mismatch("is for the other direction", "Request a token for the direction of the transfer.")
    }
    for name in Self.grantable + (takesWebSocket ? ["wss_enabled", "wss_port"] : []) {
      if let value = response.said(name) { fields[name] = value }
    }
    // The server can select a cipher, but it must not replace the caller's cipher with `none`.
    if let cipher = response.said("cipher"), text("cipher") == nil || cipher != .string("none") {
      fields["cipher"] = cipher
    }
    try takeTags(response)
    try takePaths(response)
  }

  /// Returns a field's value, or `nil` if the value is `null` or an empty string.
  private func said(_ name: String) -> JSONValue? {
    fields[name].flatMap { $0 == .null || $0 == .string("") ? nil : $0 }
  }

  /// Merges the tags of a grant's specification into this specification.
  ///
  /// If both specifications contain a tag, the grant's value is used.
  private mutating func takeTags(_ response: TransferSpec) throws(AsperaError) {
    guard let more = response.tags else { return }
    let own = try decodedTags() ?? JSONObject()
    fields["tags64"] = nil
    tags = Self.merged(own, more)
  }

  /// Returns the tags in the field `tags64` or `tags`, or `nil` if the specification has no tags.
  func decodedTags() throws(AsperaError) -> JSONObject? {
    guard let text = text("tags64") else { return tags }
    guard let bytes = [UInt8](base64: text), let decoded = (try? JSONValue(parsing: bytes))?.object else {
      throw Self.invalid("has tags64 that is not a JSON object in Base64", "Use tags.")
    }
    return decoded
  }

  /// Returns the members of two objects, in which a member of the second object replaces one of the first object.
  package static func merged(_ first: JSONObject, _ second: JSONObject) -> JSONObject {
    var merged = first
    for (name, value) in second {
      if let inner = value.object, let outer = merged[name]?.object {
        merged[name] = .object(Self.merged(outer, inner))
      } else {
        merged[name] = value
      }
    }
    return merged
  }

  /// Replaces the paths on the server with the paths in a grant's specification.
  ///
  /// For an upload, the grant contains only destinations, and the caller's sources remain. For a download, the grant
  /// contains the sources in the order of the token, and the caller's local names remain.
  private mutating func takePaths(_ response: TransferSpec) throws(AsperaError) {
    switch direction {
    case .send?:
      if let root = response.said("destination_root") { fields["destination_root"] = root }
    case .receive?:
      if let root = response.said("source_root") { fields["source_root"] = root }
      guard let granted = response.fields["paths"]?.array, !granted.isEmpty else { return }
      let sources = granted.compactMap { $0["source"]?.string }
      let own = paths
      guard sources.count == granted.count, sources.count == own.count else {
        throw Self.mismatch("is for other paths", "Request a token for exactly the paths of the transfer.")
      }
      paths = zip(sources, own).map { TransferPath($0, to: $1.destination) }
    case nil: return
    }
  }

  static func mismatch(_ problem: String, _ remedy: String) -> AsperaError {
    AsperaError(.invalidToken, "The specification of the grant \(problem).", remedy: remedy)
  }

  /// Checks everything about the specification that can be checked before a transfer starts.
  ///
  /// Unknown fields are accepted here, because another engine may know them. ascp commands reject unknown fields.
  ///
  /// Credentials must be unambiguous. ascp reads the password of an account and the passphrase of a key from the same
  /// environment variable, and tries the value as both. A specification with a password and a passphrase, or with a
  /// password and a key, is therefore rejected, although other clients silently use one of the credentials.
  ///
  /// - Throws: An ``AsperaError`` that contains the name of the invalid field but not its value: `ambiguousCredential`,
  ///   `invalidToken`, `malformedKey` or `invalidHostKey` for credentials, tokens, keys and host keys, otherwise
  ///   `invalidSpecification`.
  public func validate() throws(AsperaError) {
    for field in TransferField.all {
      if let value = fields[field.name], value != .null { try field.check(value) }
    }
    guard direction != nil else {
      throw Self.invalid("has no direction", "Set direction to send or receive.")
    }
    try checkFiles()
    try checkCredentials()
    if let sshfp, !sshfp.isEmpty { _ = try HostKeyFingerprint(sshfp) }
    if text("token")?.isEmpty == true {
      throw AsperaError(
        .invalidToken, "The token of the transfer specification is empty.",
        remedy: "Leave the field out if no token is needed.")
    }
    if fields["tags"]?.object != nil, text("tags64") != nil {
      throw Self.invalid("has both tags and tags64", "Leave one of them out.")
    }
    if contentProtection != nil, filled("content_protection_password") == nil {
      throw Self.invalid(
        "has content_protection without a password", "Set content_protection_password; ascp would prompt for it.")
    }
    try checkWebSocket()
  }

  /// Checks that the specification contains at most one credential.
  private func checkCredentials() throws(AsperaError) {
    let password = filled("remote_password")
    let key = filled("ssh_private_key")
    let path = filled("ssh_private_key_path")
    if password != nil, key != nil || path != nil {
      throw Self.ambiguous("both a password and a private key")
    }
    if password != nil, filled("ssh_private_key_passphrase") != nil {
      throw Self.ambiguous("both a password and the passphrase of a key")
    }
    if key != nil, path != nil {
      throw Self.ambiguous("a private key in a file and another one in memory")
    }
    if key == nil, path == nil, filled("ssh_private_key_passphrase") != nil {
      throw Self.invalid(
        "has a passphrase and no private key", "Name the key; ascp would try the passphrase as a password.")
    }
    if let key, !key.contains(where: \.isNewline), key.contains("\\n") {
      throw AsperaError(
        .malformedKey,
        "The private key in the transfer specification has backslashes where it should have line breaks.",
        remedy: "Pass the key with real line breaks: in JSON one backslash and an n, not two.")
    }
  }

  /// Checks the fields of a WebSocket, which replaces SSH and needs no account.
  private func checkWebSocket() throws(AsperaError) {
    guard offersWebSocket == true else { return }
    if webSocketPort == nil { throw Self.invalid("has wss_enabled without wss_port", "Set wss_port, such as 443.") }
    if filled("token") == nil {
      throw Self.invalid("has wss_enabled without a token", "Set a token; a WebSocket checks no account.")
    }
  }

  static func invalid(_ problem: String, _ remedy: String) -> AsperaError {
    AsperaError(.invalidSpecification, "The transfer specification \(problem).", remedy: remedy)
  }

  private static func ambiguous(_ credentials: String) -> AsperaError {
    AsperaError(
      .ambiguousCredential, "The transfer specification has \(credentials).",
      remedy: "Leave one of them out; it is undefined which one ascp would use.")
  }
}
