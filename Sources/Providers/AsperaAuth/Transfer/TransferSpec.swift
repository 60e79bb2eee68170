// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The description of a transfer in the format of Aspera's `transfer_spec` (version 1).
///
/// Every field is stored unchanged, also an unknown one. Fields can contain secrets, which the description hides.
///
/// ```swift
/// var spec = TransferSpec(.send, [TransferPath("/data/cat.jpg", to: "2026/cat.jpg")], destinationRoot: "/photos")
/// ```
public struct TransferSpec: Sendable, Equatable, Redacted {
  /// The fields of the `transfer_spec`, in the order in which they were received or added.
  public var fields: JSONObject

  /// Creates a specification from the fields of a `transfer_spec`, without validation.
  public init(fields: JSONObject) { self.fields = fields }

  /// Creates a specification for files and folders.
  ///
  /// - Parameters:
  ///   - direction: Whether the files are sent to the server or received from the server.
  ///   - paths: The files and folders to transfer.
  ///   - destinationRoot: The destination folder. If `nil`, the docroot of the account, or `/`.
  public init(_ direction: TransferDirection, _ paths: [TransferPath], destinationRoot: String? = nil) {
    fields = JSONObject()
    self.direction = direction
    self.paths = paths
    self.destinationRoot = destinationRoot
  }

  /// Parses a specification in JSON.
  ///
  /// - Parameter json: A JSON object in UTF-8.
  /// - Throws: An ``AsperaError`` with the code `invalidSpecification` if the text is not a JSON object.
  public init(json: [UInt8]) throws(AsperaError) {
    let value: JSONValue
    do { value = try JSONValue(parsing: json) } catch {
      throw AsperaError(
        .invalidSpecification, "The transfer specification is not JSON: \(error).",
        remedy: "Pass the value of transfer_spec as it came.")
    }
    guard let object = value.object else {
      throw AsperaError(
        .invalidSpecification, "The transfer specification is not a JSON object.",
        remedy: "Pass the value of transfer_spec, not the list around it.")
    }
    fields = object
  }

  /// The specification in JSON, including secrets.
  public var json: [UInt8] { JSONValue.object(fields).serialized }

  private static let describedFields: Set<String> = ["remote_host", "remote_user", "direction", "paths"]

  /// A description with the server, the user, the direction, the number of paths, and the names of other fields.
  public var description: String {
    let location = [remoteUser, remoteHost].compactMap(\.self).joined(separator: "@")
    let pathCount = fields["paths"]?.array?.count ?? 0
    var parts = [location.isEmpty ? "nowhere" : location, direction?.rawValue ?? "no direction"]
    parts.append(pathCount == 1 ? "1 path" : "\(pathCount) paths")
    let otherNames = fields.names.filter { !Self.describedFields.contains($0) }
    if !otherNames.isEmpty { parts.append("fields: \(otherNames.joined(separator: ", "))") }
    return "TransferSpec(\(parts.joined(separator: ", ")))"
  }
}

/// The direction of a transfer from the client's point of view.
public enum TransferDirection: String, Sendable, Hashable {
  /// A transfer from the client to the server.
  case send
  /// A transfer from the server to the client.
  case receive
}

/// A file or a folder to transfer.
public struct TransferPath: Sendable, Hashable {
  /// The path of the file or folder on the sending side.
  public var source: String
  /// The path below the destination root, which all paths of a transfer have or none, or `nil` to keep the name.
  public var destination: String?

  /// Creates a path; the parameters are the properties.
  public init(_ source: String, to destination: String? = nil) {
    self.source = source
    self.destination = destination
  }
}

/// Fields about the server, the user and the files.
extension TransferSpec {
  /// The direction of the transfer, from the client's point of view (`direction`).
  public var direction: TransferDirection? {
    get { word("direction") }
    set { setText("direction", newValue?.rawValue) }
  }

  /// The files and folders to transfer (`paths`).
  ///
  /// If an element has only a destination, as in a node's response about an upload, the destination is the source.
  public var paths: [TransferPath] {
    get {
      (fields["paths"]?.array ?? []).compactMap { path in
        guard let source = path["source"]?.string ?? path["destination"]?.string else { return nil }
        return TransferPath(source, to: path["source"] == nil ? nil : path["destination"]?.string)
      }
    }
    set {
      fields["paths"] = .array(
        newValue.map { path in
          var member: JSONObject = ["source": .string(path.source)]
          member["destination"] = path.destination.map { .string($0) }
          return .object(member)
        })
    }
  }

  /// The destination folder (`destination_root`).
  public var destinationRoot: String? {
    get { text("destination_root") }
    set { setText("destination_root", newValue) }
  }

  /// The prefix that is added to each source path (`source_root`).
  public var sourceRoot: String? {
    get { text("source_root") }
    set { setText("source_root", newValue) }
  }

  /// The prefix that is removed from each source path to obtain the path at the destination (`src_base`).
  public var sourceBase: String? {
    get { text("src_base") }
    set { setText("src_base", newValue) }
  }

  /// Whether a missing destination folder is created (`create_dir`).
  public var createsFolder: Bool? {
    get { flag("create_dir") }
    set { setFlag("create_dir", newValue) }
  }

  /// The `authorized_keys` line of a key that a node accepts for the login (`public_keys`); see ``DynamicKey``.
  public var publicKey: String? {
    get { text("public_keys") }
    set { setText("public_keys", newValue) }
  }

  /// The name or the address of the Aspera server (`remote_host`).
  public var remoteHost: String? {
    get { text("remote_host") }
    set { setText("remote_host", newValue) }
  }

  /// The name of the user who logs in to the server (`remote_user`).
  public var remoteUser: String? {
    get { text("remote_user") }
    set { setText("remote_user", newValue) }
  }

  /// The server's TCP port for SSH (`ssh_port`).
  public var sshPort: Int? {
    get { number("ssh_port") }
    set { setNumber("ssh_port", newValue) }
  }

  /// The server's UDP port for data (`fasp_port`).
  public var udpPort: Int? {
    get { number("fasp_port") }
    set { setNumber("fasp_port", newValue) }
  }

  /// A line of text by which an application finds the transfer in the server's records (`cookie`).
  public var cookie: String? {
    get { text("cookie") }
    set { setText("cookie", newValue) }
  }

  /// Metadata for the server's applications (`tags`), with the member `aspera` reserved for Aspera's products.
  public var tags: JSONObject? {
    get { fields["tags"]?.object }
    set { fields["tags"] = newValue.map { .object($0) } }
  }

  /// Whether the session stays open for paths that are added later (`keepalive`).
  public var isPersistent: Bool? {
    get { flag("keepalive") }
    set { setFlag("keepalive", newValue) }
  }

  /// The number of concurrent sessions of the transfer (`multi_session`), where 0 and 1 mean one session.
  public var sessionCount: Int? {
    get { number("multi_session") }
    set { setNumber("multi_session", newValue) }
  }
}

/// Fields about rates and the resumption of transfers.
extension TransferSpec {
  /// The target rate of the transfer, in kilobits per second (`target_rate_kbps`).
  public var targetRate: Int? {
    get { number("target_rate_kbps") }
    set { setNumber("target_rate_kbps", newValue) }
  }

  /// The minimum rate of the transfer, in kilobits per second (`min_rate_kbps`).
  public var minimumRate: Int? {
    get { number("min_rate_kbps") }
    set { setNumber("min_rate_kbps", newValue) }
  }

  /// The policy for sharing bandwidth with other network traffic (`rate_policy`).
  public var ratePolicy: RatePolicy? {
    get { word("rate_policy") }
    set { setText("rate_policy", newValue?.rawValue) }
  }

  /// The comparison that ascp makes before it resumes the transfer of an interrupted file (`resume_policy`).
  public var resumePolicy: ResumePolicy? {
    get { word("resume_policy") }
    set { setText("resume_policy", newValue?.rawValue) }
  }

  /// The use of HTTP if data cannot be sent over UDP (`http_fallback`).
  public var httpFallback: HTTPFallback? {
    get {
      switch fields["http_fallback"] {
      case .bool(let isOn): isOn ? .on : .off
      case .string("force"): .force
      case .string("1"): .on
      case .string("0"): .off
      default: nil
      }
    }
    set { fields["http_fallback"] = newValue.map { $0 == .force ? .string("force") : .bool($0 == .on) } }
  }
}

/// Fields about the treatment of files on both sides.
extension TransferSpec {
  /// The policy for existing files at the destination (`overwrite`); ascp's default is ``OverwritePolicy/different``.
  public var overwritePolicy: OverwritePolicy? {
    get { word("overwrite") }
    set { setText("overwrite", newValue?.rawValue) }
  }

  /// The policy for symbolic links among the source files (`symlink_policy`).
  public var symbolicLinkPolicy: SymbolicLinkPolicy? {
    get { word("symlink_policy") }
    set { setText("symlink_policy", newValue?.rawValue) }
  }

  /// Whether source files are removed after their transfer (`remove_after_transfer`).
  public var removesSources: Bool? {
    get { flag("remove_after_transfer") }
    set { setFlag("remove_after_transfer", newValue) }
  }

  /// The folder to which source files are moved after their transfer (`move_after_transfer`).
  public var sourceArchive: String? {
    get { text("move_after_transfer") }
    set { setText("move_after_transfer", newValue) }
  }
}

/// Fields that authenticate the client and protect the data.
extension TransferSpec {
  /// The token that authorizes the transfer (`token`).
  public var token: Secret? {
    get { secret("token") }
    set { setText("token", newValue?.reveal()) }
  }

  /// The fingerprint of the server's host key (`sshfp`), unchanged; see ``HostKeyFingerprint``.
  public var sshfp: String? {
    get { text("sshfp") }
    set { setText("sshfp", newValue) }
  }

  /// The password with which the account logs in to the server (`remote_password`).
  public var remotePassword: Secret? {
    get { secret("remote_password") }
    set { setText("remote_password", newValue?.reveal()) }
  }

  /// The private key with which the account logs in, in PEM with real line breaks (`ssh_private_key`).
  public var sshPrivateKey: Secret? {
    get { secret("ssh_private_key") }
    set { setText("ssh_private_key", newValue?.reveal()) }
  }

  /// The path of the file that contains the account's private key (`ssh_private_key_path`).
  public var sshPrivateKeyPath: String? {
    get { text("ssh_private_key_path") }
    set { setText("ssh_private_key_path", newValue) }
  }

  /// The passphrase of the account's private key (`ssh_private_key_passphrase`).
  public var sshPrivateKeyPassphrase: Secret? {
    get { secret("ssh_private_key_passphrase") }
    set { setText("ssh_private_key_passphrase", newValue?.reveal()) }
  }

  /// The cipher that encrypts the data between the client and the server (`cipher`).
  public var cipher: TransferCipher? {
    get { word("cipher") ?? text("cipher").flatMap { TransferCipher(nameForAscp: $0) } }
    set { setText("cipher", newValue?.rawValue) }
  }

  /// The client-side encryption or decryption of files (`content_protection`), which requires a password.
  public var contentProtection: ContentProtection? {
    get { word("content_protection") }
    set { setText("content_protection", newValue?.rawValue) }
  }

  /// The password for the client-side encryption or decryption of files (`content_protection_password`).
  public var contentProtectionPassword: Secret? {
    get { secret("content_protection_password") }
    set { setText("content_protection_password", newValue?.reveal()) }
  }

  /// The URL of the Aspera proxy, such as `dnat://user:password@host:port`, or with the scheme `dnats` (`proxy`).
  public var proxy: Secret? {
    get { secret("proxy") }
    set { setText("proxy", newValue?.reveal()) }
  }

  /// Whether the session uses a WebSocket with TLS instead of SSH (`wss_enabled`).
  ///
  /// A WebSocket requires a token and does not check an account. The server's certificate replaces the host key.
  public var offersWebSocket: Bool? {
    get { flag("wss_enabled") }
    set { setFlag("wss_enabled", newValue) }
  }

  /// The server's TCP port for a WebSocket (`wss_port`).
  public var webSocketPort: Int? {
    get { number("wss_port") }
    set { setNumber("wss_port", newValue) }
  }

  /// A copy of the specification without passwords, keys and tokens, for logs and for token requests.
  ///
  /// Fields that this package does not know are also removed if their names indicate a secret, including fields within
  /// objects. The proxy is removed because its URL can contain a password.
  public var withoutSecrets: TransferSpec { TransferSpec(fields: Self.withoutSecrets(fields)) }

  /// The words in the names of secret fields, also of fields that this package does not know.
  private static let secretWords = [
    "password", "passphrase", "passwd", "secret", "private_key", "api_key", "apikey", "token", "credential", "proxy",
    "authorization", "headers", "ssh_args",
  ]

  private static func withoutSecrets(_ object: JSONObject) -> JSONObject {
    var publicFields = JSONObject()
    for (name, value) in object where !isSecret(value, named: name.lowercased()) {
      publicFields[name] = withoutSecrets(value)
    }
    return publicFields
  }

  private static func isSecret(_ value: JSONValue, named lowercaseName: String) -> Bool {
    switch value {
    case .string, .array, .object: secretWords.contains { lowercaseName.contains($0) }
    case .number, .bool, .null: false
    }
  }

  private static func withoutSecrets(_ value: JSONValue) -> JSONValue {
    switch value {
    case .object(let object): .object(withoutSecrets(object))
    case .array(let elements): .array(elements.map { withoutSecrets($0) })
    case .string, .number, .bool, .null: value
    }
  }
}

/// Tags that servers and applications require.
extension TransferSpec {
  /// Returns a specification with the fields that a transfer with an access key's token requires.
  ///
  /// The fields are the user, and the tags that identify the access key and the folder or file, which is the root of
  /// the access key if `fileID` is `nil`. ``TransferSigner`` merges these tags with the tags of the transfer.
  static func naming(accessKey: String, fileID: String?) -> TransferSpec {
    var node: JSONObject = ["access_key": .string(accessKey)]
    node["file_id"] = fileID.map { .string($0) }
    return TransferSpec(fields: [
      "remote_user": .string(AsperaAccount.defaultTokenUser), "tags": ["aspera": ["node": .object(node)]],
    ])
  }

  /// The time for which Aspera on Cloud waits for a retry, as aspera-cli requests it.
  private static let retryPeriodSeconds = 3600

  /// Adds the members `xfer_id` and `xfer_retry` to tags that have a member `aspera`, unless they are there.
  ///
  /// Aspera on Cloud assigns transfers to packages by the ID, and completes a package only if the ID is unique. The ID
  /// must be the same for all attempts of the transfer. aspera-cli adds the same members.
  package mutating func identifyTransfer(as id: String) {
    guard var tags = try? decodedTags(), var aspera = tags["aspera"]?.object else { return }
    guard aspera["xfer_id"] == nil || aspera["xfer_retry"] == nil else { return }
    if aspera["xfer_id"] == nil { aspera["xfer_id"] = .string(id) }
    if aspera["xfer_retry"] == nil { aspera["xfer_retry"] = .number(JSONNumber(Self.retryPeriodSeconds)) }
    tags["aspera"] = .object(aspera)
    fields["tags64"] = nil
    self.tags = tags
  }

  /// Whether the token is a bearer token, and the tags do not name the access key by which the server checks it.
  package var lacksTags: Bool {
    guard text("token")?.hasPrefix(BearerText.prefix) == true else { return false }
    let accessKey = (try? decodedTags())?["aspera"]?["node"]?["access_key"]?.string
    return accessKey?.isEmpty ?? true
  }
}

/// Access to fields by their names.
extension TransferSpec {
  /// Returns a field's value unless it is `null`, which counts as an absent field.
  func value(_ name: String) -> JSONValue? { fields[name].flatMap { $0 == .null ? nil : $0 } }
  func text(_ name: String) -> String? { fields[name]?.string }
  func nonemptyText(_ name: String) -> String? { fields[name]?.nonemptyString }
  func nonblankText(_ name: String) -> String? { text(name).flatMap { $0.isBlank ? nil : $0 } }
  func number(_ name: String) -> Int? { fields[name]?.integer }
  func flag(_ name: String) -> Bool? { fields[name]?.bool }
  func word<Word: RawRepresentable<String>>(_ name: String) -> Word? { text(name).flatMap { Word(rawValue: $0) } }
  func secret(_ name: String) -> Secret? { text(name).map { Secret($0) } }
  mutating func setText(_ name: String, _ text: String?) { fields[name] = text.map { .string($0) } }
  mutating func setNumber(_ name: String, _ number: Int?) { fields[name] = number.map { .number(JSONNumber($0)) } }
  mutating func setFlag(_ name: String, _ isSet: Bool?) { fields[name] = isSet.map { .bool($0) } }
}

extension JSONValue {
  /// The string, or `nil` if the value is an empty string or no string.
  package var nonemptyString: String? { string.flatMap { $0.isEmpty ? nil : $0 } }
}

extension TransferSpec {
  /// The fields that together have the effect of `delete_source`.
  static let deletionFields = ["remove_after_transfer", "remove_empty_directories", "remove_empty_source_directory"]

  /// Pairs of fields for one setting: the Node API and aspera-cli's schema have different names for three settings.
  private static let alternativeFields = [
    ("src_base", "src_base64"), ("tags", "tags64"), ("preserve_xattrs", "preserve_extended_attrs"),
    ("remote_preserve_xattrs", "preserve_remote_extended_attrs"), ("remote_preserve_acls", "preserve_remote_acls"),
  ]

  /// Checks everything about the specification that can be checked before a transfer starts.
  ///
  /// Unknown fields are accepted here, because another engine may know them. ascp commands reject unknown fields.
  ///
  /// Credentials must be unambiguous: a password with a passphrase or a key is rejected, although other clients
  /// silently use one of them. ascp reads the password of an account and the passphrase of a key from the same
  /// environment variable, and tries the value as both.
  ///
  /// - Throws: An ``AsperaError`` with the name of the invalid field but not its value: `ambiguousCredential`,
  ///   `invalidToken`, `malformedKey` or `invalidHostKey` for the corresponding fields, else `invalidSpecification`.
  public func validate() throws(AsperaError) {
    for field in TransferField.all { if let value = value(field.name) { try field.check(value) } }
    guard direction != nil else { throw Self.invalid("has no direction", remedy: "Set direction to send or receive.") }
    try checkContradictions()
    try checkCredentials()
    if let sshfp, !sshfp.isEmpty { _ = try HostKeyFingerprint(sshfp) }
    if contentProtection != nil, nonblankText("content_protection_password") == nil {
      throw Self.invalid(
        "has content_protection without a password",
        remedy: "Set content_protection_password; ascp would prompt for it.")
    }
    try checkWebSocket()
  }

  private func checkContradictions() throws(AsperaError) {
    // Fields with the same effect must not contradict each other.
    let deletionPairs =
      (Self.deletionFields + ["remove_empty_source_dir"]).map { ("delete_source", $0) }
      + [("remove_empty_source_dir", "remove_empty_source_directory")]
    for (first, second) in deletionPairs {
      guard let firstFlag = flag(first), let secondFlag = flag(second), firstFlag != secondFlag else { continue }
      throw Self.invalid(
        "has \(first) \(firstFlag) and \(second) \(secondFlag)", remedy: "Leave \(first) out, or \(second).")
    }
    let removesFiles = flag("delete_source") == true || removesSources == true
    if removesFiles, sourceArchive != nil {
      throw Self.invalid("both removes and moves the sources", remedy: "Leave move_after_transfer out, or the removal.")
    }
    if flag("remove_skipped") == true, !removesFiles {
      throw Self.invalid("has remove_skipped without remove_after_transfer", remedy: "Set both of them, or none.")
    }
    for (first, second) in Self.alternativeFields where value(first) != nil && value(second) != nil {
      throw Self.invalid("has both \(first) and \(second), which are one setting", remedy: "Leave one of them out.")
    }
  }

  private func checkCredentials() throws(AsperaError) {
    let password = nonblankText("remote_password")
    let key = nonblankText("ssh_private_key")
    let path = nonblankText("ssh_private_key_path")
    if password != nil, key != nil || path != nil { throw Self.ambiguous("both a password and a private key") }
    if password != nil, nonblankText("ssh_private_key_passphrase") != nil {
      throw Self.ambiguous("both a password and the passphrase of a key")
    }
    if key != nil, path != nil { throw Self.ambiguous("a private key in a file and another one in memory") }
    if key == nil, path == nil, nonblankText("ssh_private_key_passphrase") != nil {
      throw Self.invalid(
        "has a passphrase and no private key", remedy: "Name the key; ascp would try the passphrase as a password.")
    }
    if let key, !key.contains(where: \.isNewline), key.contains("\\n") {
      throw AsperaError(
        .malformedKey,
        "The private key in the transfer specification has backslashes where it should have line breaks.",
        remedy: "Pass the key with real line breaks: in JSON one backslash and an n, not two.")
    }
  }

  private func checkWebSocket() throws(AsperaError) {
    guard offersWebSocket == true else { return }
    guard webSocketPort != nil else {
      throw Self.invalid("has wss_enabled without wss_port", remedy: "Set wss_port, such as 443.")
    }
    if nonblankText("token") == nil {
      throw Self.invalid("has wss_enabled without a token", remedy: "Set a token; a WebSocket checks no account.")
    }
  }

  static func invalid(_ problem: String, remedy: String) -> AsperaError {
    AsperaError(.invalidSpecification, "The transfer specification \(problem).", remedy: remedy)
  }

  private static func ambiguous(_ credentials: String) -> AsperaError {
    AsperaError(
      .ambiguousCredential, "The transfer specification has \(credentials).",
      remedy: "Leave one of them out; it is undefined which one ascp would use.")
  }
}
