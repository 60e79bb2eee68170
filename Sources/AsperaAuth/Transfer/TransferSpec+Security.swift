public import StorageAuth
internal import StorageJSON

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
    get { fields["wss_enabled"]?.truth }
    set { fields["wss_enabled"] = newValue.map { .truth($0) } }
  }

  /// The TCP port of the web socket (`wss_port`).
  public var webSocketPort: Int? {
    get { number("wss_port") }
    set { setNumber("wss_port", newValue) }
  }
}
