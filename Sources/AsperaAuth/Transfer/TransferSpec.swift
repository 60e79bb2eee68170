public import StorageAuth
public import StorageJSON

/// What is transferred between whom, as Aspera's `transfer_spec` (version 1) describes it.
///
/// Every field is kept as it came, those that this package does not know too. The fields can hold a password, a key and
/// a token: the description shows none of them.
///
/// ```swift
/// var spec = TransferSpec(.send, [TransferPath("/data/cat.jpg", to: "2026/cat.jpg")], destinationRoot: "/photos")
/// ```
public struct TransferSpec: Sendable, Equatable {
  /// The fields, in the order in which they came.
  public var fields: JSONObject

  /// Takes over fields.
  ///
  /// - Parameter fields: The fields of a `transfer_spec`.
  public init(fields: JSONObject) {
    self.fields = fields
  }

  /// Describes a transfer.
  ///
  /// - Parameters:
  ///   - direction: Whether files are sent to the server or received from it.
  ///   - paths: The files and folders.
  ///   - destinationRoot: The folder that they go to; the docroot of the account, or `/`, if not given.
  public init(_ direction: TransferDirection, _ paths: [TransferPath], destinationRoot: String? = nil) {
    fields = JSONObject()
    self.direction = direction
    self.paths = paths
    self.destinationRoot = destinationRoot
  }

  /// Reads a specification.
  ///
  /// - Parameter json: A JSON object in UTF-8.
  /// - Throws: An ``AsperaError`` if it is no JSON object.
  public init(json: [UInt8]) throws(AsperaError) {
    let value: JSONValue
    do {
      value = try JSONValue(parsing: json)
    } catch {
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

  /// The specification as JSON, secrets included.
  public var json: [UInt8] { JSONValue.object(fields).serialized }
}

/// Which way the files go.
public enum TransferDirection: String, Sendable, Hashable {
  /// To the server.
  case send
  /// From the server.
  case receive
}

/// A file or a folder of a transfer.
public struct TransferPath: Sendable, Hashable {
  /// Where it is on the side that sends.
  public var source: String

  /// What it is called under the destination root; nothing if it keeps its name.
  public var destination: String?

  /// Names a file or a folder.
  ///
  /// - Parameters:
  ///   - source: Where it is on the side that sends.
  ///   - destination: What it is called under the destination root. Either all paths of a transfer have one or none.
  public init(_ source: String, to destination: String? = nil) {
    self.source = source
    self.destination = destination
  }
}

/// Where to, who, and what.
extension TransferSpec {
  /// Whether files are sent or received (`direction`).
  public var direction: TransferDirection? {
    get { word("direction") }
    set { setText("direction", newValue?.rawValue) }
  }

  /// The files and folders (`paths`).
  ///
  /// Of an element that has only a destination, as answers about uploads have them, the destination is the source.
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
          var member = JSONObject()
          member["source"] = .string(path.source)
          member["destination"] = path.destination.map { .string($0) }
          return .object(member)
        })
    }
  }

  /// The folder that the files go to (`destination_root`).
  public var destinationRoot: String? {
    get { text("destination_root") }
    set { setText("destination_root", newValue) }
  }

  /// What is put before each source (`source_root`).
  public var sourceRoot: String? {
    get { text("source_root") }
    set { setText("source_root", newValue) }
  }

  /// What is cut off from each source, so that the rest of it is kept at the destination (`src_base`).
  public var sourceBase: String? {
    get { text("src_base") }
    set { setText("src_base", newValue) }
  }

  /// Whether the folder of the destination is made where it is missing (`create_dir`).
  public var createsFolder: Bool? {
    get { fields["create_dir"]?.bool }
    set { fields["create_dir"] = newValue.map { .bool($0) } }
  }

  /// The public key that the server is to let in, in a line as `authorized_keys` has it (`public_keys`).
  ///
  /// A node takes it with the request for a transfer; see ``DynamicKey``.
  public var publicKey: String? {
    get { text("public_keys") }
    set { setText("public_keys", newValue) }
  }

  /// The server (`remote_host`).
  public var remoteHost: String? {
    get { text("remote_host") }
    set { setText("remote_host", newValue) }
  }

  /// The user (`remote_user`).
  public var remoteUser: String? {
    get { text("remote_user") }
    set { setText("remote_user", newValue) }
  }

  /// The TCP port for SSH (`ssh_port`).
  public var sshPort: Int? {
    get { number("ssh_port") }
    set { setNumber("ssh_port", newValue) }
  }

  /// The UDP port for the data (`fasp_port`).
  public var udpPort: Int? {
    get { number("fasp_port") }
    set { setNumber("fasp_port", newValue) }
  }

  /// What an application wants to find again in the server's records (`cookie`), in one line.
  public var cookie: String? {
    get { text("cookie") }
    set { setText("cookie", newValue) }
  }

  /// Data about the transfer for the server's applications (`tags`); the member `aspera` is Aspera's own.
  public var tags: JSONObject? {
    get { fields["tags"]?.object }
    set { fields["tags"] = newValue.map { .object($0) } }
  }

  /// Whether the session stays open for paths that are named while it runs (`keepalive`).
  public var isPersistent: Bool? {
    get { fields["keepalive"]?.bool }
    set { fields["keepalive"] = newValue.map { .bool($0) } }
  }

  /// Over how many sessions at once the files are spread (`multi_session`); 0 and 1 for one.
  public var sessionCount: Int? {
    get { number("multi_session") }
    set { setNumber("multi_session", newValue) }
  }
}

extension TransferSpec {
  /// The text in a field.
  func text(_ name: String) -> String? { fields[name]?.string }

  /// The text in a field that is not blank.
  func filled(_ name: String) -> String? { text(name).flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 } }

  func number(_ name: String) -> Int? { fields[name]?.integer }

  func word<Word: RawRepresentable<String>>(_ name: String) -> Word? { text(name).flatMap { Word(rawValue: $0) } }

  func secret(_ name: String) -> Secret? { text(name).map { Secret($0) } }

  private mutating func setText(_ name: String, _ text: String?) {
    fields[name] = text.map { .string($0) }
  }

  mutating func setNumber(_ name: String, _ number: Int?) {
    fields[name] = number.map { .number(JSONNumber($0)) }
  }
}

/// What happens to files on both sides.
extension TransferSpec {
  /// Which files at the destination are overwritten (`overwrite`); ascp's own rule, ``OverwritePolicy/different``, if
  /// `nil`.
  public var overwritePolicy: OverwritePolicy? {
    get { word("overwrite") }
    set { setText("overwrite", newValue?.rawValue) }
  }

  /// What happens to symbolic links among the sources (`symlink_policy`).
  public var symbolicLinkPolicy: SymbolicLinkPolicy? {
    get { word("symlink_policy") }
    set { setText("symlink_policy", newValue?.rawValue) }
  }

  /// Whether sources are removed once they have been transferred (`remove_after_transfer`).
  public var removesSources: Bool? {
    get { fields["remove_after_transfer"]?.bool }
    set { fields["remove_after_transfer"] = newValue.map { .bool($0) } }
  }

  /// The folder that sources are moved to once they have been transferred (`move_after_transfer`).
  public var sourceArchive: String? {
    get { text("move_after_transfer") }
    set { setText("move_after_transfer", newValue) }
  }

  /// What `delete_source` stands for.
  static let deletions = ["remove_after_transfer", "remove_empty_directories", "remove_empty_source_directory"]

  /// Refuses fields that contradict each other about what happens to files.
  func checkFiles() throws(AsperaError) {
    if let deletes = fields["delete_source"]?.bool {
      for name in Self.deletions + ["remove_empty_source_dir"] {
        if let other = fields[name]?.bool, other != deletes {
          throw Self.invalid(
            "has delete_source \(deletes) and \(name) \(other)", "Leave delete_source out, or \(name).")
        }
      }
    }
    if let one = fields["remove_empty_source_dir"]?.bool, let other = fields["remove_empty_source_directory"]?.bool,
      one != other
    {
      throw Self.invalid(
        "has remove_empty_source_dir \(one) and remove_empty_source_directory \(other)", "Leave one of them out.")
    }
    let removes = fields["delete_source"]?.bool == true || removesSources == true
    if removes, sourceArchive != nil {
      throw Self.invalid("both removes the sources and moves them", "Leave move_after_transfer out, or the removal.")
    }
    if fields["remove_skipped"]?.bool == true, !removes {
      throw Self.invalid("has remove_skipped without remove_after_transfer", "Set both of them, or none.")
    }
    if text("src_base") != nil, text("src_base64") != nil {
      throw Self.invalid("has both src_base and src_base64", "Leave one of them out.")
    }
  }
}

/// How fast, and what happens when it is interrupted.
extension TransferSpec {
  /// The rate to reach, in kilobits a second (`target_rate_kbps`).
  public var targetRate: Int? {
    get { number("target_rate_kbps") }
    set { setNumber("target_rate_kbps", newValue) }
  }

  /// The rate to keep, in kilobits a second (`min_rate_kbps`).
  public var minimumRate: Int? {
    get { number("min_rate_kbps") }
    set { setNumber("min_rate_kbps", newValue) }
  }

  /// How the transfer shares the line with others (`rate_policy`).
  public var ratePolicy: RatePolicy? {
    get { word("rate_policy") }
    set { setText("rate_policy", newValue?.rawValue) }
  }

  /// What is compared before an interrupted file is resumed (`resume_policy`).
  public var resumePolicy: ResumePolicy? {
    get { word("resume_policy") }
    set { setText("resume_policy", newValue?.rawValue) }
  }

  /// What happens if the data does not get through over UDP (`http_fallback`).
  public var httpFallback: HTTPFallback? {
    get {
      switch fields["http_fallback"] {
      case .bool(let isOn): isOn ? .on : .off
      case .string("force"): .force
      default: nil
      }
    }
    set { fields["http_fallback"] = newValue.map { $0 == .force ? .string("force") : .bool($0 == .on) } }
  }
}

/// What proves who asks, and what protects the way.
extension TransferSpec {
  /// The token (`token`).
  public var token: Secret? {
    get { secret("token") }
    set { setText("token", newValue?.reveal()) }
  }

  /// The fingerprint of the host key as it is written (`sshfp`); see ``HostKeyFingerprint``.
  public var sshfp: String? {
    get { text("sshfp") }
    set { setText("sshfp", newValue) }
  }

  /// The password of the account (`remote_password`).
  public var remotePassword: Secret? {
    get { secret("remote_password") }
    set { setText("remote_password", newValue?.reveal()) }
  }

  /// The private key of the account, in PEM with real line breaks (`ssh_private_key`).
  public var sshPrivateKey: Secret? {
    get { secret("ssh_private_key") }
    set { setText("ssh_private_key", newValue?.reveal()) }
  }

  /// The file of the private key (`ssh_private_key_path`).
  public var sshPrivateKeyPath: String? {
    get { text("ssh_private_key_path") }
    set { setText("ssh_private_key_path", newValue) }
  }

  /// The passphrase of the private key (`ssh_private_key_passphrase`).
  public var sshPrivateKeyPassphrase: Secret? {
    get { secret("ssh_private_key_passphrase") }
    set { setText("ssh_private_key_passphrase", newValue?.reveal()) }
  }

  /// How the data is encrypted on its way (`cipher`).
  public var cipher: TransferCipher? {
    get { word("cipher") }
    set { setText("cipher", newValue?.rawValue) }
  }

  /// Whether the client encrypts or decrypts the files (`content_protection`); it needs a password.
  public var contentProtection: ContentProtection? {
    get { word("content_protection") }
    set { setText("content_protection", newValue?.rawValue) }
  }

  /// What the files are encrypted or decrypted with (`content_protection_password`).
  public var contentProtectionPassword: Secret? {
    get { secret("content_protection_password") }
    set { setText("content_protection_password", newValue?.reveal()) }
  }

  /// The Aspera proxy on the way, `dnat://user:password@host:port` or `dnats` (`proxy`).
  public var proxy: Secret? {
    get { secret("proxy") }
    set { setText("proxy", newValue?.reveal()) }
  }

  /// Whether the session is set up over a web socket with TLS and not over SSH (`wss_enabled`): then a token is needed,
  /// no account is checked, and certificates take the place of the host key.
  public var offersWebSocket: Bool? {
    get { fields["wss_enabled"]?.bool }
    set { fields["wss_enabled"] = newValue.map { .bool($0) } }
  }

  /// The TCP port of the web socket (`wss_port`).
  public var webSocketPort: Int? {
    get { number("wss_port") }
    set { setNumber("wss_port", newValue) }
  }
}
