// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

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
    get { fields["wss_enabled"]?.bool }
    set { fields["wss_enabled"] = newValue.map { .bool($0) } }
  }

  /// The server's TCP port for a WebSocket (`wss_port`).
  public var webSocketPort: Int? {
    get { number("wss_port") }
    set { setNumber("wss_port", newValue) }
  }

  /// The time for which Aspera on Cloud waits for a retry, as aspera-cli requests it.
  private static let retrySeconds = 3600

  /// Adds the members `xfer_id` and `xfer_retry` to tags that have a member `aspera`, unless they are there.
  ///
  /// Aspera on Cloud assigns transfers to packages by the ID, and completes a package only if the ID is unique. The ID
  /// must be the same for all attempts of the transfer. aspera-cli adds the same members.
  package mutating func identifyTransfer(as id: String) {
    guard var tags = try? decodedTags(), var aspera = tags["aspera"]?.object else { return }
    guard aspera["xfer_id"] == nil || aspera["xfer_retry"] == nil else { return }
    if aspera["xfer_id"] == nil { aspera["xfer_id"] = .string(id) }
    if aspera["xfer_retry"] == nil { aspera["xfer_retry"] = .number(JSONNumber(Self.retrySeconds)) }
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

  /// A copy of the specification without passwords, keys and tokens, for logs and for token requests.
  ///
  /// Fields that this package does not know are also removed if their names indicate a secret, including fields within
  /// objects. The proxy is removed because its URL can contain a password.
  public var withoutSecrets: TransferSpec { TransferSpec(fields: Self.withoutSecrets(fields)) }

  private static let secretWords = [
    "password", "passphrase", "passwd", "secret", "private_key", "api_key", "apikey", "token", "credential", "proxy",
    "authorization", "headers", "ssh_args",
  ]

  private static func isSecret(_ name: String) -> Bool {
    let name = name.lowercased()
    return secretWords.contains { name.contains($0) }
  }

  private static func withoutSecrets(_ object: JSONObject) -> JSONObject {
    var rest = JSONObject()
    for (name, value) in object {
      switch value {
      case .string, .array, .object:
        guard !isSecret(name) else { continue }
        rest[name] = withoutSecrets(value)
      case .number, .bool, .null: rest[name] = value
      }
    }
    return rest
  }

  private static func withoutSecrets(_ value: JSONValue) -> JSONValue {
    switch value {
    case .object(let object): .object(withoutSecrets(object))
    case .array(let elements): .array(elements.map { withoutSecrets($0) })
    case .string, .number, .bool, .null: value
    }
  }
}
