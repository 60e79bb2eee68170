// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth

/// The specifications for which this package deliberately creates another command than aspera-cli, with the reasons.
enum AscpDifference {
  /// Specifications that are rejected, although aspera-cli passes them to ascp.
  struct Stricter {
    let reason: String
    let code: AsperaError.Code
    /// Words of the error's message.
    let words: String
    let cases: [String]

    init(_ words: String, _ code: AsperaError.Code = .invalidSpecification, because reason: String, _ cases: String...)
    {
      self.reason = reason
      self.code = code
      self.words = words
      self.cases = cases
    }
  }

  /// A specification whose command is that of aspera-cli for another specification.
  struct Equal {
    let other: String
    let reason: String

    init(_ other: String, because reason: String) {
      self.other = other
      self.reason = reason
    }
  }

  /// A change of aspera-cli's arguments.
  struct Change {
    let removed: [String]
    let added: [String]
    let reason: String

    init(_ removed: String..., to added: String..., because reason: String) {
      self.removed = removed
      self.added = added
      self.reason = reason
    }
  }

  static var names: Set<String> { Set(stricter.flatMap(\.cases) + equal.keys + changed.keys) }

  static let stricter = values + credentials + fields

  private static let values = [
    Stricter(
      "not a port", because: "no port has this number",
      "fasp_port: 0", "fasp_port: 65536", "fasp_port: -1", "ssh_port: 0", "ssh_port: 65536", "http_fallback_port: 0",
      "http_fallback_port: 0 with the fields that it needs", "https_fallback_port: 65536",
      "https_fallback_port: 65536 with the fields that it needs"),
    Stricter(
      "is empty", because: "ascp would read the next argument as the value, or fail after the login",
      #"exclude_newer_than: """#, #"exclude_older_than: """#, #"move_after_transfer: """#,
      #"move_after_transfer: "" with the fields that it needs"#, #"remote_host: """#, #"remote_user: """#),
    Stricter("starts with a hyphen", because: "ascp would read an option", #"remote_host: "-oProxyCommand=x""#),
    Stricter(
      "not an integer from 0 to 128", because: "the schema's description names the limits, and ascp has no more parts",
      "multi_session: -1", "multi_session: 129"),
    Stricter(
      "not an integer from", because: "a size or a rate is not negative, and a datagram is not empty",
      "multi_session_threshold: -1", "multi_session_threshold: -1 with the fields that it needs",
      "target_rate_kbps: -1", "dgram_size: 0"),
    Stricter("UDP port too high", because: "no port has this number", "several sessions with ports above the last"),
    Stricter(
      "line break", because: "a file list cannot hold it, and ascp exits with code 8 for a cookie with it",
      #"cookie: "two\nlines""#, #"paths: [{"source":"two\nlines"}]"#),
    Stricter("empty path", because: "it stands for no file", #"paths: [{"source":""}]"#),
    Stricter("no paths", because: "ascp would transfer no file and succeed", "paths: []", "no paths"),
    Stricter(
      "is not Base64", because: "ascp would fail after the login", #"src_base64: "not Base64""#,
      #"tags64: "not Base64""#),
    Stricter(
      "not one of Aspera's", because: "ascp knows the schemes dnat and dnats", #"proxy: "http://proxy.example.com""#),
  ]

  private static let credentials = [
    Stricter(
      "without a password", because: "ascp would prompt for the password", #"content_protection: "encrypt""#,
      #"content_protection: "decrypt""#),
    Stricter(
      "neither a password nor a private key", .missingCredential, because: "ascp would prompt for a password",
      #"remote_password: """#, "no login"),
    Stricter(
      "backslashes", .malformedKey, because: "ascp rejects the key with code 19, like a wrong key",
      #"ssh_private_key: "BEGIN\\nEND""#),
    Stricter(
      "both a password and", .ambiguousCredential,
      because: "both use one variable, or ascp would try one after the other",
      #"ssh_private_key_passphrase: "key-passphrase""#, "a password and a passphrase", "a password and a key"),
    Stricter(
      "token", .invalidToken, because: "ascp exits with code 8 for a line break; an empty token is a mistake",
      #"token: "ATB2_AAAA\n_2BTA""#, #"token: """#),
    Stricter(
      "SHA-256", .invalidHostKey, because: "ascp compares SHA-1 in hex, and would reject every host",
      #"sshfp: "SHA256:abc""#),
    Stricter(
      "cannot check it over a WebSocket", .invalidHostKey, because: "a check that was asked for is not dropped",
      "a WebSocket and a pinned host key"),
    Stricter(
      "wss_enabled without wss_port", because: "ascp would connect to port 22, where no WebSocket is",
      "wss_enabled: true"),
    Stricter(
      "tags hold a secret", .unsupported, because: "every user of the machine sees the arguments of ascp",
      "a secret in the tags"),
    Stricter("both tags and tags64", because: "ascp would use one of them", "tags and tags64"),
  ]

  private static let fields = [
    Stricter(
      "setting of IBM's transfer daemon", .unsupported, because: "aspera-cli drops the field without a word",
      #"fasp_proxy: {"url":"dnat://proxy.example.com","user":"u","password":"daemon-password"}"#,
      #"icos: {"bucket":"b","api_key":"bucket-key"}"#, #"retry_duration: "5min""#, "retry_duration: 300"),
    Stricter(
      "for nodes on Windows", .unsupported, because: "aspera-cli drops the field without a word",
      #"password: "windows-password""#),
    Stricter(
      "for a node that starts a transfer itself", .unsupported, because: "aspera-cli drops the field without a word",
      "xfer_max_retries: 3"),
    Stricter(
      "do not hold the same ID", .unsupported,
      because: "files would go to another folder; aspera-cli drops the field without a word",
      #"destination_root_id: "12""#, #"remote_access_key: "AK1""#),
    Stricter(
      "a folder of this machine by an ID", .unsupported,
      because: "files of another folder would be sent; aspera-cli drops the field without a word",
      #"source_root_id: "12""#),
    Stricter(
      "ProxyCommand", .unsupported, because: "aspera-cli drops the field without a word, and ssh could run programs",
      #"ssh_args: ["-v","-oProxyCommand=x"]"#),
    Stricter(
      "ascp4", .unsupported, because: "ascp4 is another program; aspera-cli drops its other fields without a word",
      "use_ascp4: true", "compression: 1", "read_threads: 4", "write_threads: 4"),
    Stricter(
      "no longer an option", .unsupported, because: "aspera-cli drops the field without a word",
      #"target_rate_percentage: "50""#),
    Stricter(
      "describes a transfer a second time", .unsupported, because: "aspera-cli drops the field without a word",
      #"fasp_url: "faspe://mia@files.example.com/a?token=ATB2_AAAA_2BTA""#),
    Stricter(
      "IBM's HTTP gateway", .unsupported, because: "names would be readable; aspera-cli drops the field without a word",
      "obfuscate_file_names: true"),
    Stricter(
      "another name of overwrite", .unsupported,
      because: "files could be lost; aspera-cli only warns of the unknown field", "a field of another schema"),
    Stricter(
      "remove_skipped without remove_after_transfer", because: "the schema's description requires both",
      "remove_skipped: true"),
    Stricter(
      "has delete_source", because: "the fields contradict each other, and files would be removed or not",
      "delete_source false before the fields that it stands for",
      "delete_source true against a field that it stands for"),
  ]

  private static let option = "ascp's option -p has no value, and ascp would read true as the name of a file"
  private static let spelling = "ascp compares fingerprints as lowercase text without colons"
  private static let fingerprint = #"sshfp: "6d3b30e1682631885606914fed0f4ab95ca9a755""#
  private static let words = "IBM's SDKs write the number as text, which aspera-cli rejects"
  private static let information = "the server's information does not affect the command, and aspera-cli rejects it"

  static let equal: [String: Equal] = [
    "multi_session: 1": Equal("multi_session: 0", because: "one of one sessions is a transfer like any other"),
    "preserve_times: false": Equal("everything null", because: option),
    "remove_empty_source_dir: true": Equal(
      "remove_empty_source_directory: true", because: "the field is the daemon's name of the other; aspera-cli drops it"
    ),
    #"sshfp: "6D3B30E1682631885606914FED0F4AB95CA9A755""#: Equal(fingerprint, because: spelling),
    #"sshfp: "6d:3b:30:e1:68:26:31:88:56:06:91:4f:ed:0f:4a:b9:5c:a9:a7:55""#: Equal(fingerprint, because: spelling),
    #"sshfp: """#: Equal("everything null", because: "a node without a fingerprint sends an empty one"),
    #"http_fallback: "1""#: Equal("http_fallback: true", because: words),
    #"http_fallback: "0""#: Equal("http_fallback: false", because: words),
    #"rate_policy_allowed: "another-word""#: Equal("everything null", because: information),
    #"cipher_allowed: "another-word""#: Equal("everything null", because: information),
  ]

  static let changed: [String: Change] = [
    "preserve_times: true": Change("-p", "true", to: "-p", because: option),
    #"proxy: "dnats://mia:proxy-password@proxy.example.com:9092""#: Change(
      "dnats://mia:proxy-password@proxy.example.com:9092", to: "dnats://mia@proxy.example.com:9092",
      because: "every user of the machine sees arguments; the password is in ASPERA_PROXY_PASS"),
    "a key file and a token": Change(
      "-i", "<TOKEN_KEY>", because: "the key of the token account is for transfers without another key"),
  ]
}
