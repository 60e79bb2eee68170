public import StorageAuth
internal import StorageCrypto
internal import StorageJSON

/// Signs the specification of a transfer: puts the account, and what was granted, into it.
///
/// What a grant says about the server counts first: its host, its user, its ports, its host key; then the account. The
/// account's credential is the only one in the signed specification, and a token of the grant the only token.
///
/// - A host key is pinned by the account, by the grant, or by the specification itself; if two of them pin different
///   keys, the transfer is refused.
/// - A password goes to the host and the user that it was given for. A grant that names another user is refused, and one
///   that names another host unless the account pins the host key.
/// - A web socket (`wss_enabled`) checks no account and no host key: with an account it is not taken from a grant, and
///   refused in a specification.
///
/// Sign a copy of the specification each time: a host key that an earlier grant pinned is not forgotten.
///
/// ```swift
/// let signed = try TransferSigner(account: account).signed(spec, with: grant, in: .now)
/// ```
public struct TransferSigner: Signer {
  /// The account; nothing where the specification or the token stands alone.
  public let account: AsperaAccount?

  /// Makes a signer.
  ///
  /// - Parameter account: Who logs in; nothing if the specification says it, or if a web socket needs nobody to.
  public init(account: AsperaAccount?) {
    self.account = account
  }

  /// Two minutes after the signing.
  ///
  /// A server looks at a token when the session has been set up, which takes as long as the connection, the login and the
  /// start of its ascp do; a transfer that runs is not cut off when its token ends. Two minutes are more than a server
  /// waits for a login.
  public func requiredValidity(from date: Timestamp) -> Timestamp { date.advanced(by: .seconds(120)) }

  /// Signs a specification.
  ///
  /// - Parameters:
  ///   - request: The specification; credentials and a host that are in it are replaced by those of the account.
  ///   - proof: What was granted. Without a token, the one in the specification stays.
  ///   - context: The time of the act.
  /// - Throws: A `SigningError` if account, grant and specification do not go together, if a token is missing, or if the
  ///   specification cannot be carried out; it is untouched then.
  public func sign(
    _ request: inout TransferSpec, with proof: TransferGrant, in context: SigningContext
  ) throws(SigningError) {
    if let end = proof.expiration, end <= context.date {
      throw .credentialEndsFirst(end, required: context.date)
    }
    do {
      var signed = request
      if let account { try signed.put(account) }
      if let answer = proof.specification { try signed.take(answer, takesWebSocket: account == nil) }
      if let account { try signed.authenticate(as: account) }
      try signed.pin(account?.hostKey, proof.specification?.sshfp)
      try signed.present(proof.token?.secret ?? proof.specification?.token, isRequired: account?.requiresToken ?? false)
      try signed.checkPlace()
      try signed.validate()
      request = signed
    } catch {
      throw SigningError(error)
    }
  }
}

/// The steps of ``TransferSigner``.
extension TransferSpec {
  /// Puts in where an account is, in place of what was there.
  mutating func put(_ account: AsperaAccount) throws(AsperaError) {
    if offersWebSocket == true {
      throw Self.invalid(
        "asks for a web socket, which checks no account",
        "Leave wss_enabled out, or sign without an account.")
    }
    remoteHost = account.host
    remoteUser = account.user
    sshPort = account.sshPort
    udpPort = account.udpPort
  }

  /// Puts in what an account authenticates with, in place of any other credential.
  mutating func authenticate(as account: AsperaAccount) throws(AsperaError) {
    let (password, key) = account.credentials
    if password != nil { try checkAddressee(account) }
    remotePassword = password
    sshPrivateKey = key.flatMap { if case .pem(let text) = $0.source { text } else { nil } }
    sshPrivateKeyPath = key.flatMap { if case .file(let path) = $0.source { path } else { nil } }
    sshPrivateKeyPassphrase = key?.passphrase
  }

  /// A password is for one user of one server: a server that sees it has it, a key only proves itself.
  private func checkAddressee(_ account: AsperaAccount) throws(AsperaError) {
    guard remoteUser == account.user else {
      throw Self.mismatch(
        "is for another user than the account, whose password is for its own user alone",
        "Use the account of the user that the issuer names, or ask for a token for \(account.user).")
    }
    guard remoteHost?.lowercased() == account.host.lowercased() || account.hostKey != nil else {
      throw Self.mismatch(
        "names another host than the account, and the account pins no host key: its password would go to any host that answers",
        "Give the account the host that the issuer names, or pin the server's host key.")
    }
  }

  /// Pins the host key that all agree on.
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

  /// Puts a token in; the one that is there stays if there is no other.
  mutating func present(_ token: Secret?, isRequired: Bool) throws(AsperaError) {
    if let token { self.token = token }
    guard !isRequired || filled("token") != nil else {
      throw AsperaError(
        .invalidToken, "The account requires a token for each transfer, and there is none.",
        remedy: "Give the session a token, or an issuer of tokens.")
    }
  }

  /// A transfer needs a server and a user.
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
  /// The password or the key.
  fileprivate var credentials: (password: Secret?, key: AsperaPrivateKey?) {
    switch authentication {
    case .password(let password): (password, nil)
    case .privateKey(let key): (nil, key)
    }
  }
}

extension SigningError {
  /// The same for the signer.
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
  /// What the issuer of a grant may say about any transfer; paths, tags, cipher and host key have rules of their own.
  private static let grantable = [
    "remote_host", "remote_user", "ssh_port", "fasp_port", "rate_policy", "rate_policy_allowed", "target_rate_kbps",
    "target_rate_cap_kbps", "min_rate_kbps", "min_rate_cap_kbps",
  ]

  /// Takes over from the specification of a grant what its issuer may say.
  ///
  /// An issuer speaks for the server: where it is, whom it lets in, how fast, and what things are called over there. It
  /// does not speak for this machine: no credential, no option, and no path on this side is taken from it. A field that
  /// is null or empty says nothing.
  ///
  /// - Parameters:
  ///   - answer: The specification of the grant.
  ///   - takesWebSocket: Whether the session may be set up without an account.
  /// - Throws: An ``AsperaError`` if the answer is for another transfer than this.
  mutating func take(_ answer: TransferSpec, takesWebSocket: Bool) throws(AsperaError) {
    if let other = answer.filled("direction"), other != text("direction") {
      throw Self.mismatch("goes in the other direction", "Ask for a token for the direction of the transfer.")
    }
    for name in Self.grantable + (takesWebSocket ? ["wss_enabled", "wss_port"] : []) {
      if let value = answer.said(name) { fields[name] = value }
    }
    // The server may ask for a cipher; it may not talk the caller out of one.
    if let cipher = answer.said("cipher"), text("cipher") == nil || cipher != .string("none") {
      fields["cipher"] = cipher
    }
    try takeTags(answer)
    try takePaths(answer)
  }

  /// A value that says something.
  private func said(_ name: String) -> JSONValue? {
    fields[name].flatMap { $0 == .null || $0 == .string("") ? nil : $0 }
  }

  /// The tags of both; where both have one, that of the answer counts.
  private mutating func takeTags(_ answer: TransferSpec) throws(AsperaError) {
    guard let more = answer.tags else { return }
    let own = try decodedTags() ?? JSONObject()
    fields["tags64"] = nil
    tags = Self.merged(own, more)
  }

  /// The tags, in whichever field they are.
  func decodedTags() throws(AsperaError) -> JSONObject? {
    guard let text = text("tags64") else { return tags }
    guard let bytes = [UInt8](base64: text), let decoded = (try? JSONValue(parsing: bytes))?.object else {
      throw Self.invalid("has tags64 that is no JSON object in Base64", "Use tags.")
    }
    return decoded
  }

  private static func merged(_ first: JSONObject, _ second: JSONObject) -> JSONObject {
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

  /// Takes what the other side's paths are called.
  ///
  /// The answer about an upload has only destinations: the sources stay the caller's. Of a download the answer has the
  /// sources, in the order of the token, and the names on this side stay the caller's.
  private mutating func takePaths(_ answer: TransferSpec) throws(AsperaError) {
    switch direction {
    case .send?:
      if let root = answer.said("destination_root") { fields["destination_root"] = root }
    case .receive?:
      if let root = answer.said("source_root") { fields["source_root"] = root }
      guard let granted = answer.fields["paths"]?.array, !granted.isEmpty else { return }
      let sources = granted.compactMap { $0["source"]?.string }
      let own = paths
      guard sources.count == granted.count, sources.count == own.count else {
        throw Self.mismatch("is for other paths", "Ask for a token for exactly the paths of the transfer.")
      }
      paths = zip(sources, own).map { TransferPath($0, to: $1.destination) }
    case nil: return
    }
  }

  static func mismatch(_ problem: String, _ remedy: String) -> AsperaError {
    AsperaError(.invalidToken, "The specification of the grant \(problem).", remedy: remedy)
  }
}

extension TransferSpec {
  /// Checks everything that can be checked before a transfer starts.
  ///
  /// Fields that are not known are for ``AscpCommand`` to refuse; another engine may know them.
  ///
  /// Credentials have to be unambiguous. ascp takes the password of an account and the passphrase of a key from one
  /// environment variable, and tries what is in it as both: a specification with both of them, or with a password and a
  /// key, is refused here, where other clients let one of them win without a word.
  ///
  /// - Throws: An ``AsperaError`` that names the field and never shows its value.
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
        remedy: "Leave the field out where no token is needed.")
    }
    if fields["tags"]?.object != nil, text("tags64") != nil {
      throw Self.invalid("has both tags and tags64", "Leave one of them out.")
    }
    if contentProtection != nil, filled("content_protection_password") == nil {
      throw Self.invalid(
        "has content_protection without a password", "Set content_protection_password; ascp would ask for it.")
    }
    try checkWebSocket()
  }

  /// At most one way to authenticate.
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

  /// A web socket takes the place of SSH and of the account.
  private func checkWebSocket() throws(AsperaError) {
    guard offersWebSocket == true else { return }
    if webSocketPort == nil { throw Self.invalid("has wss_enabled without wss_port", "Set wss_port, such as 443.") }
    if filled("token") == nil {
      throw Self.invalid("has wss_enabled without a token", "Set a token; a web socket knows no account.")
    }
  }

  static func invalid(_ problem: String, _ remedy: String) -> AsperaError {
    AsperaError(.invalidSpecification, "The transfer specification \(problem).", remedy: remedy)
  }

  private static func ambiguous(_ credentials: String) -> AsperaError {
    AsperaError(
      .ambiguousCredential, "The transfer specification has \(credentials).",
      remedy: "Leave one of them out; it is not known which one ascp would use.")
  }
}
