// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// A signer that adds an account and a transfer credential to a transfer specification.
///
/// The host, the user and the ports in the credential take precedence over those of the account. The signed
/// specification contains only the account's password or key, and only the credential's token.
///
/// - The account, the credential or the specification can pin a host key. Different host keys are an error.
/// - A password is sent only to its own host and user. A credential for another user is rejected, and a credential for
///   another host unless the account pins the host key.
/// - A session over a WebSocket (`wss_enabled`) checks neither an account nor a host key. If the signer has an account,
///   `wss_enabled` is ignored in a credential and rejected in a specification. If the specification requests a
///   WebSocket, the credential's host key is ignored, and the port is the specification's, the credential's, or 443.
///
/// Sign a new copy of the unsigned specification each time: a signed copy keeps the host key of an earlier credential.
///
/// ```swift
/// let signed = try TransferSigner(account: account).signed(spec, with: credential, in: .now)
/// ```
public struct TransferSigner: Signer {
  /// The account that logs in, or `nil` if the specification has the credential or a WebSocket needs no login.
  public let account: AsperaAccount?

  /// Creates a signer for transfer specifications.
  ///
  /// - Parameter account: The account that logs in, or `nil` if the specification has the credential or a WebSocket.
  public init(account: AsperaAccount?) { self.account = account }

  /// Returns the time until which a credential must be valid to sign a transfer at a date: two minutes later.
  ///
  /// A server checks the token after the login and the start of its own ascp process. Two minutes are more than a
  /// server waits for a login. A running transfer is not stopped when its token expires.
  public func requiredValidity(from date: Timestamp) -> Timestamp { date.advanced(by: .seconds(120)) }

  /// Signs a transfer specification with a transfer credential.
  ///
  /// - Parameters:
  ///   - request: The specification to sign, whose server, password and key are replaced with those of the account.
  ///   - credential: The transfer credential. If it has no token, the token in the specification is used.
  ///   - context: The signing context, which contains the current time.
  /// - Throws: A `SigningError` if the credential has expired, if the account, the credential and the specification
  ///   contradict each other, if a required token is missing, or if the specification is invalid; it is then unchanged.
  public func sign(
    _ request: inout TransferSpec, with credential: TransferCredential, in context: SigningContext
  ) throws(SigningError) {
    if let expiration = credential.expiration, expiration <= context.date {
      throw .credentialEndsFirst(expiration, required: context.date)
    }
    do {
      var signed = request
      let wantsWebSocket = request.offersWebSocket == true
      // Later steps replace fields of earlier ones: the credential's address counts more than the account's.
      if let account { try signed.setAddress(of: account) }
      if let issued = credential.specification { try signed.merge(issued, permitsWebSocket: account == nil) }
      if let account { try signed.authenticate(as: account) }
      if wantsWebSocket, let issued = credential.specification { try signed.keepWebSocket(of: request, issued: issued) }
      try signed.pinHostKey(ofAccount: account?.hostKey, issued: wantsWebSocket ? nil : credential.specification?.sshfp)
      try signed.setToken(
        credential.token?.secret ?? credential.specification?.token, isRequired: account?.requiresToken ?? false)
      try signed.requireAddress()
      try signed.validate()
      request = signed
    } catch { throw SigningError(error) }
  }
}

extension TransferSpec {
  /// The port of WebSockets on servers that name no other, which is the port of HTTPS.
  private static let defaultWebSocketPort = 443

  /// The fields of the credential with which an account logs in over SSH.
  static let credentialFields = [
    "remote_password", "ssh_private_key", "ssh_private_key_path", "ssh_private_key_passphrase",
  ]

  fileprivate mutating func setAddress(of account: AsperaAccount) throws(AsperaError) {
    if offersWebSocket == true {
      throw Self.invalid(
        "requests a WebSocket, over which no account is checked",
        remedy: "Leave wss_enabled out, or sign without an account.")
    }
    remoteHost = account.host
    remoteUser = account.user
    sshPort = account.sshPort
    udpPort = account.udpPort
  }

  /// Replaces the credential for the login with the account's; the order of fields that are set again does not change.
  fileprivate mutating func authenticate(as account: AsperaAccount) throws(AsperaError) {
    var password: Secret?
    var key: AsperaPrivateKey?
    switch account.authentication {
    case .password(let accountPassword):
      try requirePasswordRecipient(account)
      password = accountPassword
    case .privateKey(let accountKey): key = accountKey
    }
    remotePassword = password
    sshPrivateKey = if case .pem(let text)? = key?.source { text } else { nil }
    sshPrivateKeyPath = if case .file(let path)? = key?.source { path } else { nil }
    sshPrivateKeyPassphrase = key?.passphrase
  }

  /// Sets the port of the WebSocket that the transfer requests, unless the server has no WebSocket.
  fileprivate mutating func keepWebSocket(of request: TransferSpec, issued: TransferSpec) throws(AsperaError) {
    guard issued.offersWebSocket != false else {
      throw Self.mismatch(
        "says that the server has no WebSocket, which the transfer requests",
        remedy: "Log in over SSH, with an account.")
    }
    webSocketPort = request.webSocketPort ?? webSocketPort ?? Self.defaultWebSocketPort
  }

  /// Checks that the account's password, which the server learns, is sent only to the account's user and host.
  private func requirePasswordRecipient(_ account: AsperaAccount) throws(AsperaError) {
    guard remoteUser == account.user else {
      throw Self.mismatch(
        "names another user than the account, whose password must be sent only for its own user",
        remedy: "Use the account of the user that the issuer names, or request a token for \(account.user).")
    }
    guard remoteHost?.lowercased() == account.host.lowercased() || account.hostKey != nil else {
      throw Self.mismatch(
        "names another host than the account, and the account pins no host key: its password would be sent to any host",
        remedy: "Give the account the host that the issuer names, or pin the server's host key.")
    }
  }

  /// Sets the host key that the account, the specification or the credential pins, which must be the same key.
  fileprivate mutating func pinHostKey(
    ofAccount accountPin: HostKeyFingerprint?, issued issuedPin: String?
  ) throws(AsperaError) {
    var pins: Set<HostKeyFingerprint> = accountPin.map { [$0] } ?? []
    for text in [sshfp, issuedPin] { if let text, !text.isEmpty { pins.insert(try HostKeyFingerprint(text)) } }
    guard pins.count < 2 else {
      throw AsperaError(
        .invalidHostKey, "Account, specification and credential pin different host keys.",
        remedy: "Find out which key the server has; a server publishes one of its keys and may show another.")
    }
    sshfp = pins.first?.description
  }

  fileprivate mutating func setToken(_ token: Secret?, isRequired: Bool) throws(AsperaError) {
    if let token { self.token = token }
    guard !isRequired || nonblankText("token") != nil else {
      throw AsperaError(
        .invalidToken, "The account requires a token for each transfer, and there is none.",
        remedy: "Give the session a token, or an issuer of tokens.")
    }
  }

  func requireAddress() throws(AsperaError) {
    guard nonblankText("remote_host") != nil else {
      throw Self.invalid("has no server", remedy: "Sign it with an account, or set remote_host.")
    }
    guard nonblankText("remote_user") != nil else {
      throw Self.invalid("has no user", remedy: "Sign it with an account, or set remote_user: xfer for access keys.")
    }
  }
}

extension SigningError {
  init(_ error: AsperaError) {
    let credentialCodes: [AsperaError.Code] = [.ambiguousCredential, .missingCredential, .invalidToken, .malformedKey]
    let isAboutCredential = credentialCodes.contains(error.code)
    self.init(isAboutCredential ? .invalidCredential : .invalidRequest, error.message, remedy: error.remedy)
  }
}

extension TransferSpec {
  /// The fields that an issuer can set for any transfer; paths, tags, cipher and host key have separate rules.
  private static let issuableFields = [
    "remote_host", "remote_user", "ssh_port", "fasp_port", "rate_policy", "rate_policy_allowed", "target_rate_kbps",
    "target_rate_cap_kbps", "min_rate_kbps", "min_rate_cap_kbps",
  ]

  /// Merges the permitted fields of an issued specification into this specification.
  ///
  /// An issuer decides on behalf of the server about its address, its users, its rates, and paths on the server. It
  /// does not decide on behalf of this machine, so its credentials, options and local paths are ignored. A field
  /// that is `null` or an empty string is also ignored. A WebSocket requires that there is no account.
  mutating func merge(_ issued: TransferSpec, permitsWebSocket: Bool) throws(AsperaError) {
    if let issuedDirection = issued.nonblankText("direction"), issuedDirection != text("direction") {
      throw Self.mismatch("is for the other direction", remedy: "Request a token for the direction of the transfer.")
    }
    let webSocketFields = permitsWebSocket ? ["wss_enabled", "wss_port"] : []
    for name in Self.issuableFields + webSocketFields { if let value = issued.nonempty(name) { fields[name] = value } }
    // The server can select a cipher, but it must not replace the caller's cipher with `none`.
    if let cipher = issued.nonempty("cipher"), text("cipher") == nil || cipher != .string("none") {
      fields["cipher"] = cipher
    }
    if let issuedTags = issued.tags {
      tags = Self.merged(try decodedTags() ?? [:], issuedTags)
      fields["tags64"] = nil
    }
    try mergePaths(issued)
  }

  private func nonempty(_ name: String) -> JSONValue? { value(name).flatMap { $0 == .string("") ? nil : $0 } }

  /// The tags, which are in JSON (`tags`) or in Base64 (`tags64`), or `nil` if there are none.
  func decodedTags() throws(AsperaError) -> JSONObject? {
    guard let text = text("tags64") else { return tags }
    guard let bytes = [UInt8](base64: text), let decoded = (try? JSONValue(parsing: bytes))?.object else {
      throw Self.invalid("has tags64 that is not a JSON object in Base64", remedy: "Copy them again, or use tags.")
    }
    return decoded
  }

  /// Returns the members of two objects at all levels, in which those of the second object replace those of the first.
  package static func merged(_ first: JSONObject, _ second: JSONObject) -> JSONObject {
    var merged = first
    for (name, secondValue) in second {
      if let firstObject = merged[name]?.object, let secondObject = secondValue.object {
        merged[name] = .object(Self.merged(firstObject, secondObject))
      } else {
        merged[name] = secondValue
      }
    }
    return merged
  }

  /// Replaces the paths on the server with the paths in an issued specification.
  ///
  /// For an upload, these are only destinations, and the caller's sources remain. For a download, these are the sources
  /// in the order of the token, and the caller's local names remain.
  private mutating func mergePaths(_ issued: TransferSpec) throws(AsperaError) {
    switch direction {
    case .send?:
      if let root = issued.nonempty("destination_root") { fields["destination_root"] = root }
    case .receive?:
      if let root = issued.nonempty("source_root") { fields["source_root"] = root }
      guard let issuedPaths = issued.fields["paths"]?.array, !issuedPaths.isEmpty else { return }
      let sources = issuedPaths.compactMap { $0["source"]?.string }
      let requestedPaths = paths
      guard sources.count == issuedPaths.count, sources.count == requestedPaths.count else {
        throw Self.mismatch("is for other paths", remedy: "Request a token for exactly the paths of the transfer.")
      }
      paths = zip(sources, requestedPaths).map { TransferPath($0, to: $1.destination) }
    case nil: return
    }
  }

  private static func mismatch(_ problem: String, remedy: String) -> AsperaError {
    AsperaError(.invalidToken, "The specification of the credential \(problem).", remedy: remedy)
  }
}
