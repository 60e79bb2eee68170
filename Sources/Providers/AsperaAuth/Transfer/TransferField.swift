// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// A field of a `transfer_spec`: its permitted values, and its mapping to options of ascp.
///
/// The fields are those that IBM publishes:
/// [`spec.schema.yaml`](https://github.com/IBM/aspera-cli/blob/main/lib/aspera/transfer/spec.schema.yaml)
/// of aspera-cli, whose `direct` agent starts ascp, the requests of the Node API for a transfer (`transferPostRequest`
/// and `token-transfer-request-body` in its description 4.4.6), and the interface `TransferSpec` of aspera-sdk-js. The
/// options are described in IBM's ["Ascp command
/// reference"](https://www.ibm.com/docs/en/SSL85S_4.4/hsts_admin_linux/ascp_usage.html).
struct TransferField: Sendable {
  /// The form of a field's value, unless the value is `null`, which counts as an absent field.
  enum Form: Sendable {
    /// A string; like all strings, without NUL characters.
    case text
    /// A string without line breaks.
    case line
    /// A non-empty string without line breaks.
    case filledLine
    /// A host name or user name, without spaces and without a leading hyphen.
    case name
    case word([String])
    case booleanOrWord([String])
    case boolean
    case port
    case number(ClosedRange<Int>)
    case base64
    case object
    case paths
    /// An array of objects that each contain one pattern, as `include` or `exclude`.
    case filters
    /// Any value, because the field is rejected regardless of its value.
    case anything
  }

  /// The way in which a field is passed to ascp, if at all.
  enum Mapping: Sendable {
    /// An ascp option with the field's value, or with ascp's word for it if ascp has another one.
    case option(String, words: [String: String] = [:])
    /// An ascp option with the Base64-encoded value, which is omitted if the value is empty.
    case encoded(String)
    /// An ascp option without a value that is passed if the field is true, and perhaps another one if it is false.
    case flag(String, else: String? = nil)
    /// An environment variable for a secret, which is not set if the value is blank.
    case variable(String)
    /// A mapping that the ascp command builder implements separately.
    case special
    /// No option, because the field only informs a server, an application or a person.
    case informational
    /// No option although the field would change the transfer, so the field is rejected with a reason and a remedy.
    case refused(String, remedy: String)
  }

  let name: String
  let form: Form
  let mapping: Mapping

  private init(_ name: String, _ form: Form, _ mapping: Mapping) {
    self.name = name
    self.form = form
    self.mapping = mapping
  }

  static let all = schemaFields + nodeTransferFields + setupFields + synonyms
  private static let names = Set(all.map(\.name))

  /// Returns whether a field is known; only a name in ASCII can be, and Swift compares those as bytes.
  static func isKnown(_ name: String) -> Bool { name.utf8.allSatisfy { $0 < 0x80 } && names.contains(name) }

  static let checksumWords = ["sha-512", "sha-384", "sha-256", "sha1", "md5", "none"]
  /// The words for the places where ascp stores access control lists and extended attributes.
  static let attributeStorageWords = ["none", "native", "metafile"]
  /// The names of the ciphers with hyphens, and without them, as IBM's SDKs write them.
  private static let ciphers = Form.word(TransferCipher.rawValues + TransferCipher.rawValuesWithoutHyphens)
  private static let attributeStorage = Form.word(attributeStorageWords)
  private static let rates = Form.number(0...Int.max)
  /// The sizes in bytes, up to ascp's maximum of 500 MiB.
  private static let blockSizes = Form.number(0...500 << 20)

  private static func refused(_ name: String, _ reason: String, _ remedy: String) -> TransferField {
    TransferField(name, .anything, .refused(reason, remedy: remedy))
  }

  /// The fields of aspera-cli's schema, in the schema's order, which determines the order of options in aspera-cli.
  private static let schemaFields: [TransferField] = [
    TransferField("apply_local_docroot", .boolean, .flag("--apply-local-docroot")),
    TransferField("cipher", ciphers, .option("-c", words: TransferCipher.namesForAscp)),
    TransferField("content_protection", .word(ContentProtection.rawValues), .option("--file-crypt")),
    TransferField("content_protection_password", .text, .variable("ASPERA_SCP_FILEPASS")),
    TransferField("cookie", .line, .variable("ASPERA_SCP_COOKIE")),
    TransferField("create_dir", .boolean, .flag("-d")),
    TransferField("delete_before_transfer", .boolean, .flag("--delete-before-transfer")),
    TransferField("delete_source", .boolean, .special),
    TransferField("destination_root", .text, .special),
    TransferField("destination_root_id", .line, .special),
    TransferField("direction", .word(["send", "receive"]), .option("--mode", words: ["receive": "recv"])),
    TransferField("exclude_newer_than", .filledLine, .option("--exclude-newer-than")),
    TransferField("exclude_older_than", .filledLine, .option("--exclude-older-than")),
    TransferField("fail_bad_filepass", .boolean, .flag("--fail-bad-filepass")),
    TransferField("fasp_port", .port, .option("-O")),
    refused("fasp_proxy", "is a setting of IBM's transfer daemon", "Name the proxy in the field proxy."),
    TransferField("file_checksum", .word(checksumWords), .option("--file-checksum")),
    TransferField(
      "http_fallback", .booleanOrWord(["force", "1", "0"]),
      .option("-y", words: ["true": "1", "false": "0", "force": "F"])),
    TransferField("http_fallback_port", .port, .option("-t")),
    TransferField("https_fallback_port", .port, .option("-t")),
    refused("icos", "is a setting of IBM's transfer daemon", "Request the transfer from the bucket's Node API."),
    TransferField("lock_min_rate", .boolean, .informational),
    TransferField("lock_min_rate_kbps", .boolean, .informational),
    TransferField("lock_rate_policy", .boolean, .informational),
    TransferField("lock_target_rate", .boolean, .informational),
    TransferField("lock_target_rate_kbps", .boolean, .informational),
    TransferField("min_rate_cap_kbps", rates, .informational),
    TransferField("move_after_transfer", .filledLine, .option("--move-after-transfer")),
    TransferField("multi_session", .number(0...128), .special),
    TransferField("multi_session_threshold", rates, .option("--multi-session-threshold")),
    TransferField("overwrite", .word(OverwritePolicy.rawValues), .option("--overwrite")),
    refused("password", "is for nodes on Windows that start a transfer themselves", "Leave it out."),
    TransferField("paths", .paths, .special),
    TransferField("precalculate_job_size", .boolean, .flag("--precalculate-job-size", else: "--precalculate-disable")),
    TransferField("preserve_access_time", .boolean, .flag("--preserve-access-time")),
    TransferField("preserve_acls", attributeStorage, .option("--preserve-acls")),
    TransferField("preserve_creation_time", .boolean, .flag("--preserve-creation-time")),
    TransferField("preserve_extended_attrs", attributeStorage, .option("--preserve-xattrs")),
    TransferField("preserve_file_owner_gid", .boolean, .flag("--preserve-file-owner-gid")),
    TransferField("preserve_file_owner_uid", .boolean, .flag("--preserve-file-owner-uid")),
    TransferField("preserve_modification_time", .boolean, .flag("--preserve-modification-time")),
    TransferField("preserve_remote_acls", attributeStorage, .option("--remote-preserve-acls")),
    TransferField("preserve_remote_extended_attrs", attributeStorage, .option("--remote-preserve-xattrs")),
    TransferField("preserve_source_access_time", .boolean, .flag("--preserve-source-access-time")),
    TransferField("preserve_times", .boolean, .flag("-p")),
    TransferField("rate_policy", .word(RatePolicy.rawValues), .option("--policy")),
    TransferField("remote_access_key", .line, .special),
    TransferField("remote_host", .name, .option("--host")),
    TransferField("remote_password", .text, .variable("ASPERA_SCP_PASS")),
    TransferField("remote_user", .name, .option("--user")),
    TransferField("remove_after_transfer", .boolean, .flag("--remove-after-transfer")),
    TransferField("remove_empty_directories", .boolean, .flag("--remove-empty-directories")),
    TransferField("remove_empty_source_dir", .boolean, .special),
    TransferField("remove_empty_source_directory", .boolean, .flag("--remove-empty-source-directory")),
    TransferField("remove_skipped", .boolean, .flag("--remove-skipped")),
    TransferField("proxy", .line, .special),
    TransferField("resume_policy", .word(ResumePolicy.rawValues), .option("-k", words: ResumePolicy.namesForAscp)),
    refused("retry_duration", "is a setting of IBM's transfer daemon", "Set retries in the transfer queue."),
    TransferField("save_before_overwrite", .boolean, .flag("--save-before-overwrite")),
    TransferField("skip_duplicate_check", .boolean, .flag("--skip-dir-traversal-dupes")),
    TransferField("skip_special_files", .boolean, .flag("--skip-special-files")),
    TransferField("source_root", .text, .encoded("--source-prefix64")),
    TransferField("source_root_id", .line, .special),
    TransferField("src_base", .text, .encoded("--src-base64")),
    TransferField("src_base64", .base64, .option("--src-base64")),
    TransferField("ssh_port", .port, .option("-P")),
    TransferField("ssh_private_key", .text, .variable("ASPERA_SCP_KEY")),
    TransferField("ssh_private_key_passphrase", .text, .variable("ASPERA_SCP_PASS")),
    TransferField("ssh_private_key_path", .text, .special),
    TransferField("symlink_policy", .word(SymbolicLinkPolicy.rawValues), .option("--symbolic-links")),
    TransferField("tags", .object, .encoded("--tags64")),
    TransferField("tags64", .base64, .option("--tags64")),
    TransferField("target_rate_cap_kbps", rates, .informational),
    TransferField("target_rate_kbps", rates, .option("-l")),
    TransferField("title", .text, .informational),
    TransferField("token", .filledLine, .variable("ASPERA_SCP_TOKEN")),
    TransferField("use_ascp4", .boolean, .special),
    TransferField("use_system_ssh", .boolean, .flag("-SSH")),
    refused(
      "ssh_args", "could start any program on this machine (ProxyCommand)",
      "Write the options into the configuration of ssh, and set use_system_ssh."),
    TransferField("keepalive", .boolean, .flag("--keepalive")),
    TransferField("dgram_size", .number(1...65_535), .option("-Z")),
    TransferField("min_rate_kbps", rates, .option("-m")),
    TransferField("sshfp", .text, .special),
    refused("target_rate_percentage", "is no longer an option of any IBM program", "Set target_rate_kbps."),
    TransferField("rate_policy_allowed", .line, .informational),
    refused("fasp_url", "describes a transfer a second time", "Read the link with FaspURI, or leave it out."),
    TransferField("authentication", .line, .informational),
    TransferField("cipher_allowed", .line, .informational),
    refused("obfuscate_file_names", "is a setting of IBM's HTTP gateway", "Leave it out; ascp sends names unchanged."),
    TransferField("wss_enabled", .boolean, .special),
    TransferField("wss_port", .port, .special),
    refused("compression", "is only for ascp4", "Leave it out."),
    refused("read_threads", "is only for ascp4", "Leave it out."),
    refused("write_threads", "is only for ascp4", "Leave it out."),
    refused("xfer_max_retries", "is for a node that starts a transfer itself", "Set retries in the transfer queue."),
  ]

  /// The fields that occur only in transfers that a Node API starts (`/ops/transfers`).
  private static let nodeTransferFields: [TransferField] = [
    TransferField("filters", .filters, .special),
    TransferField("id", .line, .informational),
    TransferField("preserve_xattrs", attributeStorage, .option("--preserve-xattrs")),
    TransferField("read_block_size", blockSizes, .option("-g")),
    TransferField("remote_preserve_acls", attributeStorage, .option("--remote-preserve-acls")),
    TransferField("remote_preserve_xattrs", attributeStorage, .option("--remote-preserve-xattrs")),
    TransferField("write_block_size", blockSizes, .option("-G")),
    TransferField("wss_cert_auth_path", .filledLine, .special),
  ]

  /// The fields that occur only in requests to a Node API that set up transfers (see ``NodeSetup``).
  private static let setupFields: [TransferField] = [
    TransferField("public_keys", .text, .informational),
    TransferField("token_life_seconds", rates, .informational),
    TransferField("aspera_connect_settings", .anything, .informational),
  ]

  /// The names that can be mistaken for the name of a field, each refused with a remedy that names the field.
  private static let synonyms: [TransferField] = [
    refused("content_protection_passphrase", "is another name of content_protection_password", "Use that name."),
    refused("overwrite_policy", "is another name of overwrite", "Use that name."),
    refused("resume", "is another name of resume_policy", "Use that name."),
    refused("download_name", "is a setting of IBM's applications", "Give each of the paths a destination."),
  ]

  /// Checks a value of the field, which the error does not show, because it can be a secret.
  func check(_ value: JSONValue) throws(AsperaError) {
    guard let problem = problem(with: value) else { return }
    throw AsperaError(
      name == "token" ? .invalidToken : .invalidSpecification,
      "The field \(name) of the transfer specification \(problem).", remedy: "Correct the field, or leave it out.")
  }

  private func problem(with value: JSONValue) -> String? {
    switch form {
    case .anything: return nil
    case .text, .line, .filledLine, .name, .word, .base64:
      guard let text = value.string else { return "is not a string" }
      return problem(withText: text)
    case .booleanOrWord(let words):
      return value.bool != nil || value.string.map(words.contains) == true
        ? nil : "is neither a Boolean value nor \(Self.list(words))"
    case .boolean: return value.bool == nil ? "is neither true nor false" : nil
    case .port: return value.integer.map(AsperaAccount.ports.contains) == true ? nil : "is not a port: 1 to 65535"
    case .number(let range):
      let end = range.upperBound == .max ? "up" : "to \(range.upperBound)"
      return value.integer.map(range.contains) == true ? nil : "is not an integer from \(range.lowerBound) \(end)"
    case .object: return value.object == nil ? "is not an object" : nil
    case .paths: return Self.problem(withPaths: value)
    case .filters: return Self.problem(withFilters: value)
    }
  }

  private func problem(withText text: String) -> String? {
    if text.unicodeScalars.contains("\0") { return "holds a null character" }
    switch form {
    case .filledLine where text.isEmpty: return "is empty"
    case .line, .filledLine: return text.unicodeScalars.contains(where: \.isLineBreakOrNUL) ? "holds a line break" : nil
    case .name:
      return text.isHostOrUserName ? nil : "is empty, starts with a hyphen, or holds a space or a line break"
    case .word(let words): return words.contains(text) ? nil : "is not one of \(Self.list(words))"
    case .base64: return [UInt8](base64: text) == nil ? "is not Base64" : nil
    default: return nil
    }
  }

  private static func problem(withPaths value: JSONValue) -> String? {
    guard let elements = value.array else { return "is not an array" }
    var destinationCount = 0
    for element in elements {
      guard let source = element["source"]?.string else { return "has an element without a source" }
      var texts = [source]
      if let destination = element["destination"], destination != .null {
        guard let text = destination.string else { return "has a destination that is not a string" }
        texts.append(text)
        destinationCount += 1
      }
      if texts.contains("") { return "has an element with an empty path" }
      guard !texts.joined().unicodeScalars.contains(where: \.isLineBreakOrNUL) else {
        return "has a path with a line break or a null character, which a file list cannot contain"
      }
    }
    return destinationCount == 0 || destinationCount == elements.count
      ? nil : "has elements with a destination and elements without; give all of them one, or none"
  }

  private static func problem(withFilters value: JSONValue) -> String? {
    guard let elements = value.array else { return "is not an array" }
    for element in elements {
      guard let object = element.object, let name = object.names.first, object.names.count == 1,
        ["include", "exclude"].contains(name), let pattern = element[name]?.string
      else { return "has an element that is not one pattern, as include or exclude" }
      if pattern.isEmpty || pattern.unicodeScalars.contains(where: \.isLineBreakOrNUL) {
        return "has a pattern that is empty or holds a line break"
      }
    }
    return nil
  }

  private static func list(_ words: [String]) -> String { words.joined(separator: ", ") }
}

/// A cipher that encrypts the data of a transfer between the client and the server.
public enum TransferCipher: String, Sendable, Hashable, CaseIterable {
  /// The cipher that the server chooses, or AES-128 if the server does not choose one. Encryption stays on.
  case none
  case aes128 = "aes-128"
  case aes192 = "aes-192"
  case aes256 = "aes-256"
  case aes128CFB = "aes-128-cfb"
  case aes192CFB = "aes-192-cfb"
  case aes256CFB = "aes-256-cfb"
  case aes128GCM = "aes-128-gcm"
  case aes192GCM = "aes-192-gcm"
  case aes256GCM = "aes-256-gcm"

  /// The cipher names in ascp's arguments, which contain no hyphens, by the names in specifications.
  static let namesForAscp = Dictionary(
    allCases.map { ($0.rawValue, $0.rawValue.replacing("-", with: "")) }, uniquingKeysWith: { first, _ in first })
  /// The cipher names in ascp's arguments that differ from those in specifications.
  static let rawValuesWithoutHyphens = namesForAscp.filter { $0.key != $0.value }.values.sorted()

  /// Creates a cipher from its name in ascp's arguments, or returns `nil` if ascp has no such cipher.
  init?(nameForAscp name: String) {
    guard let rawValue = Self.namesForAscp.first(where: { $0.value == name })?.key else { return nil }
    self.init(rawValue: rawValue)
  }
}

/// A policy for sharing bandwidth with other traffic on the network.
public enum RatePolicy: String, Sendable, Hashable, CaseIterable {
  /// A policy that uses only the bandwidth that other traffic does not use.
  case low
  /// A policy that uses the same share of the bandwidth as other traffic.
  case fair
  /// A policy that uses twice the bandwidth share of a `fair` transfer.
  case high
  /// A policy that uses the target rate, regardless of other traffic.
  case fixed
}

/// A comparison of the source and the destination before ascp resumes the transfer of an interrupted file.
public enum ResumePolicy: String, Sendable, Hashable, CaseIterable {
  /// No comparison. The file is transferred again from its beginning.
  case none
  /// A comparison of the file attributes.
  case attributes = "attrs"
  /// A comparison of the file attributes and of a checksum of parts of the file.
  case sparseChecksum = "sparse_csum"
  /// A comparison of the file attributes and of a checksum of the whole file.
  case fullChecksum = "full_csum"

  /// The numbers by which ascp's arguments refer to the policies, by the names in specifications.
  static let namesForAscp = Dictionary(
    allCases.enumerated().map { ($0.element.rawValue, "\($0.offset)") }, uniquingKeysWith: { first, _ in first })
}

/// A policy for existing files at the destination that have the name of a source file (`overwrite`).
///
/// The resume policy determines which files count as different: all of them with ``ResumePolicy/none``.
public enum OverwritePolicy: String, Sendable, Hashable, CaseIterable {
  /// A policy that overwrites no existing file.
  case never
  /// A policy that overwrites every existing file.
  case always
  /// A policy that overwrites files that differ from the source, which is the default of ascp.
  case different = "diff"
  /// A policy that overwrites files that are older than the source.
  case older
  /// A policy that overwrites files that differ from the source and are older.
  case differentAndOlder = "diff+older"
}

/// A policy for symbolic links among the source files (`symlink_policy`).
public enum SymbolicLinkPolicy: String, Sendable, Hashable, CaseIterable {
  /// A policy that transfers the target of a link, which is the default of ascp.
  case follow
  /// A policy that transfers the link itself, unless a file with its name exists at the destination.
  case copy
  /// A policy that transfers the link itself, and replaces a file with its name at the destination.
  case copyAndReplace = "copy+force"
  /// A policy that skips symbolic links.
  case skip
}

/// The client-side encryption or decryption of files, with which the server stores only encrypted files.
public enum ContentProtection: String, Sendable, Hashable, CaseIterable {
  case encrypt
  case decrypt
}

/// The use of HTTP for a transfer whose data cannot be sent over UDP.
public enum HTTPFallback: Sendable, Hashable {
  /// A transfer that never uses HTTP and fails if data cannot be sent over UDP.
  case off
  /// A transfer that falls back to HTTP if data cannot be sent over UDP.
  case on
  /// A transfer that uses HTTP from its start.
  case force
}

extension CaseIterable where Self: RawRepresentable<String> {
  static var rawValues: [String] { allCases.map(\.rawValue) }
}
