/// A field of a `transfer_spec`: what may be in it, and what ascp gets of it.
struct TransferField: Sendable {
  /// What may be in a field; `null` counts as absent everywhere.
  enum Form: Sendable {
    /// Text without a null character.
    case text
    /// Text in one line.
    case line
    /// The name of a host or a user: no space, no leading hyphen.
    case name
    /// One of these words.
    case word([String])
    /// One of these words, or a truth value.
    case truthOrWord([String])
    case truth
    case port
    case number(ClosedRange<Int>)
    case fingerprint
    case base64
    case object
    case paths
  }

  /// What ascp gets of a field.
  enum Mapping: Sendable {
    /// An option with the value; words that have another spelling for ascp are translated.
    case option(String, words: [String: String] = [:])
    /// An option with the value in Base64; nothing for an empty one.
    case encoded(String)
    /// An option without a value, where the field is true.
    case flag(String)
    /// An environment variable, for secrets; nothing for a blank one.
    case variable(String)
    /// ``AscpCommand`` knows what to do.
    case special
    /// Nothing: the field is for others than ascp.
    case nothing
  }

  let name: String
  let form: Form
  let mapping: Mapping

  init(_ name: String, _ form: Form, _ mapping: Mapping) {
    self.name = name
    self.form = form
    self.mapping = mapping
  }

  /// The fields that this package knows, in the order of ascp's options.
  static let all: [TransferField] = [
    TransferField("cipher", .word(TransferCipher.words), .option("-c", words: TransferCipher.namesForAscp)),
    TransferField("content_protection", .word(ContentProtection.words), .option("--file-crypt")),
    TransferField("content_protection_password", .text, .variable("ASPERA_SCP_FILEPASS")),
    TransferField("cookie", .line, .variable("ASPERA_SCP_COOKIE")),
    TransferField("create_dir", .truth, .flag("-d")),
    TransferField("destination_root", .text, .special),
    TransferField("destination_root_id", .line, .nothing),
    TransferField("direction", .word(["send", "receive"]), .option("--mode", words: ["receive": "recv"])),
    TransferField("fasp_port", .port, .option("-O")),
    TransferField(
      "http_fallback", .truthOrWord(["force"]), .option("-y", words: ["true": "1", "false": "0", "force": "F"])),
    TransferField("http_fallback_port", .port, .option("-t")),
    TransferField("https_fallback_port", .port, .option("-t")),
    TransferField("multi_session", .number(0...128), .special),
    TransferField("paths", .paths, .special),
    TransferField("rate_policy", .word(RatePolicy.words), .option("--policy")),
    TransferField("remote_access_key", .line, .nothing),
    TransferField("remote_host", .name, .option("--host")),
    TransferField("remote_password", .text, .variable("ASPERA_SCP_PASS")),
    TransferField("remote_user", .name, .option("--user")),
    TransferField("proxy", .line, .special),
    TransferField(
      "resume_policy", .word(ResumePolicy.words), .option("-k", words: ResumePolicy.namesForAscp)),
    TransferField("source_root", .text, .encoded("--source-prefix64")),
    TransferField("source_root_id", .line, .nothing),
    TransferField("src_base", .text, .encoded("--src-base64")),
    TransferField("ssh_port", .port, .option("-P")),
    TransferField("ssh_private_key", .text, .variable("ASPERA_SCP_KEY")),
    TransferField("ssh_private_key_passphrase", .text, .variable("ASPERA_SCP_PASS")),
    TransferField("ssh_private_key_path", .text, .special),
    TransferField("tags", .object, .encoded("--tags64")),
    TransferField("tags64", .base64, .option("--tags64")),
    TransferField("target_rate_kbps", .number(0...Int.max), .option("-l")),
    TransferField("token", .line, .variable("ASPERA_SCP_TOKEN")),
    TransferField("use_ascp4", .truth, .special),
    TransferField("use_system_ssh", .truth, .flag("-SSH")),
    TransferField("keepalive", .truth, .flag("--keepalive")),
    TransferField("min_rate_kbps", .number(0...Int.max), .option("-m")),
    TransferField("sshfp", .fingerprint, .option("--check-sshfp")),
    TransferField("authentication", .line, .nothing),
    TransferField("wss_enabled", .truth, .special),
    TransferField("wss_port", .port, .special),
  ]

  /// The names of the fields that this package knows.
  static let names = Set(all.map(\.name))
}
