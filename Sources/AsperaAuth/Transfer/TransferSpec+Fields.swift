internal import StorageAuth
public import StorageJSON

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
        guard let source = path["source"]?.text ?? path["destination"]?.text else { return nil }
        return TransferPath(source, to: path["source"] == nil ? nil : path["destination"]?.text)
      }
    }
    set {
      fields["paths"] = .array(
        newValue.map { path in
          var member = JSONObject()
          member["source"] = .text(path.source)
          member["destination"] = path.destination.map { .text($0) }
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
    get { fields["create_dir"]?.truth }
    set { fields["create_dir"] = newValue.map { .truth($0) } }
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
    get { fields["keepalive"]?.truth }
    set { fields["keepalive"] = newValue.map { .truth($0) } }
  }

  /// Over how many sessions at once the files are spread (`multi_session`); 0 and 1 for one.
  public var sessionCount: Int? {
    get { number("multi_session") }
    set { setNumber("multi_session", newValue) }
  }
}

extension TransferSpec {
  /// The text in a field.
  func text(_ name: String) -> String? { fields[name]?.text }

  /// The text in a field that is not blank.
  func filled(_ name: String) -> String? { text(name).flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 } }

  func number(_ name: String) -> Int? { fields[name]?.integer }

  func word<Word: RawRepresentable<String>>(_ name: String) -> Word? { text(name).flatMap { Word(rawValue: $0) } }

  func secret(_ name: String) -> Secret? { text(name).map { Secret($0) } }

  mutating func setText(_ name: String, _ text: String?) {
    fields[name] = text.map { .text($0) }
  }

  mutating func setNumber(_ name: String, _ number: Int?) {
    fields[name] = number.map { .number(JSONNumber($0)) }
  }
}
