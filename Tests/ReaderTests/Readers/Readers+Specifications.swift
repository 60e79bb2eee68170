// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting

/// Readers of transfer specifications.
extension Reader {
  static let transfers = [specifications, arguments, grants]

  /// Fields that ascp supports.
  private static let fields: [(name: String, value: JSONValue)] = [
    ("cipher", "aes-256-gcm"), ("content_protection", "encrypt"), ("content_protection_password", "hidden-file"),
    ("cookie", "hidden-cookie"), ("create_dir", true), ("destination_root", "/elsewhere"), ("direction", "receive"),
    ("fasp_port", 40_000), ("http_fallback", "force"), ("multi_session", 2),
    ("paths", [["source": "/a", "destination": "b"]]),
    ("rate_policy", "low"), ("remote_host", "EXAMPLE.com"), ("remote_password", "hidden-password"),
    ("remote_user", "usr1"),
    ("proxy", "dnats://u:hidden-proxy@h:1"), ("resume_policy", "full_csum"), ("source_root", "/root"),
    ("src_base", "/base"),
    ("ssh_port", 22), ("ssh_private_key", "hidden-key"), ("ssh_private_key_passphrase", "hidden-phrase"),
    ("ssh_private_key_path", "~/x"), ("tags", ["aspera": ["node": ["file_id": "1"]]]), ("tags64", "e30="),
    ("target_rate_kbps", 1), ("token", "hidden-token"), ("keepalive", true), ("wss_port", 443), ("wss_enabled", true),
    ("sshfp", "6d3b30e1682631885606914fed0f4ab95ca9a755"), ("made_up", "x"),
  ]

  private static let oddValues: [JSONValue] = [
    "", " ", "-", "a\nb", "hidden-value", 0, 65_536, -1, true, false, .null, [], ["source": "x"], ["a": ["token": "x"]],
  ]

  /// Returns a specification with some fields changed; most changes keep it valid.
  private static func changed(_ input: [UInt8], _ random: inout SeededGenerator) -> TransferSpec? {
    guard var specification = try? TransferSpec(json: input) else { return nil }
    for _ in 0..<random.below(5) {
      let field = random.pick(fields)
      let kind = random.below(8)
      specification.fields[field.name] = kind == 0 ? random.pick(oddValues) : kind == 1 ? nil : field.value
    }
    return specification
  }

  private static let specificationGrowths = Growths.bytes([
    "many paths": {
      #"{"direction":"send","remote_host":"h","paths":[\#(numbered(to: $0, separator: ",") { #"{"source":"/a\#($0)"}"# })]}"#
    },
    "many fields": {
      #"{"direction":"send","remote_host":"h","paths":[{"source":"/a"}],\#(numbered(to: $0, separator: ",") { "\"f\($0)\":1" })}"#
    },
    "deep tags": { #"{"direction":"send","paths":[{"source":"/a"}],"tags":\#(repeated(#"{"a":"#, to: $0))"# },
    "a long path": {
      #"{"direction":"send","remote_host":"h","paths":[{"source":"/\#(repeated("../", to: $0))"}]}"#
    },
  ]) { bytes in
    guard let specification = try? TransferSpec(json: bytes) else { return }
    _ = try? specification.validate()
    _ = "\(specification)"
  }

  private static let specifications = Reader(name: "transfer-specifications", growths: specificationGrowths) {
    input, _ in
    guard let specification = try? TransferSpec(json: input) else { return false }
    try require(
      try TransferSpec(json: specification.json) == specification, "a specification changes when it is encoded")
    let bare = specification.withoutSecrets
    try require(bare.withoutSecrets == bare, "a copy without secrets contains secrets")
    for name in ["token", "remote_password", "ssh_private_key", "proxy"] {
      if case .string? = bare.fields[name] { throw BrokenRule("a copy without secrets has \(name)") }
    }
    var copy = specification
    copy.paths = specification.paths
    _ = "\(specification)"
    do {
      try specification.validate()
    } catch {
      try require(!"\(error)".contains("hidden-"), "an error shows a value")
      return false
    }
    return true
  }

  private static let argumentGrowths = Growths.bytes([
    "many paths": { size in
      let paths = numbered(to: size, separator: ",") { #"{"source":"/a\#($0)"}"# }
      return #"{"direction":"send","remote_host":"h","remote_user":"u","token":"t","paths":[\#(paths)]}"#
    },
    "a long path": { size in
      let path = repeated("a/", to: size)
      return
        #"{"direction":"send","remote_host":"h","remote_user":"u","token":"t","paths":[{"source":"/\#(path)a"}]}"#
    },
    "many tags": { size in
      let tags = numbered(to: size, separator: ",") { #""t\#($0)":1"# }
      return #"{"direction":"send","remote_host":"h","remote_user":"u","paths":[{"source":"/a"}],"tags":{\#(tags)}}"#
    },
  ]) { bytes in
    guard let specification = try? TransferSpec(json: bytes) else { return }
    for usesFileList in [true, false] {
      var options = AscpOptions(tokenKeyPath: "/key", homeDirectory: "/home")
      options.usesFileList = usesFileList
      guard let command = try? AscpCommand(specification, options: options, managementPort: 1) else { continue }
      _ = (command.arguments(fileListPath: "/list"), command.fileList?.lines)
    }
  }

  private static let arguments = Reader(name: "ascp-arguments", growths: argumentGrowths) { input, random in
    guard let specification = changed(input, &random) else { return false }
    var options = AscpOptions(tokenKeyPath: "/key", homeDirectory: "/home")
    options.givesUpHostKey = random.below(2) == 0
    options.usesFileList = random.below(4) > 0
    options.part = random.below(2) == 0 ? .init(index: 1, of: 2, separatesPorts: true) : nil
    guard let command = try? AscpCommand(specification, options: options, managementPort: 1) else { return false }
    let arguments = command.arguments(fileListPath: "/list")
    try checkSecrets(of: specification, arguments, "\(command)")
    try require(!arguments.contains { $0.unicodeScalars.contains("\0") }, "an argument contains a null character")
    let breaks = (command.fileList?.lines ?? []).contains { $0.unicodeScalars.contains { $0 == "\n" || $0 == "\r" } }
    try require(!breaks, "a line of the list contains a line break")
    return true
  }

  /// Checks that no argument contains a secret of the specification, unless the input contains the same text elsewhere.
  private static func checkSecrets(of specification: TransferSpec, _ arguments: [String], _ shown: String) throws {
    var rest = specification.withoutSecrets
    rest.cookie = nil
    let open = String(decoding: rest.json, as: UTF8.self)
    for name in ["token", "remote_password", "ssh_private_key", "ssh_private_key_passphrase", "cookie"] {
      guard let secret = specification.fields[name]?.string, secret.count >= 8, !open.contains(secret) else { continue }
      try require(!(arguments + [shown]).contains { $0.contains(secret) }, "\(name) is in an argument")
    }
    let hidden = (arguments + [shown]).contains { $0.contains("hidden-proxy") }
    try require(!hidden || open.contains("hidden-proxy"), "the password of the proxy is in an argument")
  }

  private static let account = try? AsperaAccount(host: "example.com", user: "usr1", password: Secret("right"))
  private static let upload = TransferSpec(.send, [TransferPath("/mine")])
  private static let download = TransferSpec(.receive, [TransferPath("/a", to: "b")], destinationRoot: "/mine")

  private static let grantGrowths = Growths.bytes([
    "many paths": { #"{"token":"t","paths":[\#(numbered(to: $0, separator: ",") { #"{"source":"/a\#($0)"}"# })]}"# },
    "many fields": { "{\(numbered(to: $0, separator: ",") { "\"f\($0)\":1" })}" },
    "a long token": { #"{"token":"\#(repeated("t", to: $0))"}"# },
  ]) { bytes in
    guard let answer = try? TransferSpec(json: bytes) else { return }
    for transfer in [upload, download] {
      var signed = transfer
      try? TransferSigner(account: account).sign(
        &signed, with: TransferCredential(token: nil, specification: answer), in: .at(Samples.now))
    }
  }

  private static let grants = Reader(name: "grants", growths: grantGrowths) { input, random in
    guard let answer = changed(input, &random) else { return false }
    let before = random.below(2) == 0 ? upload : download
    var signed = before
    do {
      try TransferSigner(account: account).sign(
        &signed, with: TransferCredential(token: nil, specification: answer), in: .at(Timestamp(unixSeconds: 0)))
    } catch {
      try require(signed.json == before.json, "a rejected specification is changed")
      return false
    }
    try require(signed.remotePassword?.reveal() == "right", "a grant changes the password")
    try require(
      signed.sshPrivateKey == nil && signed.sshPrivateKeyPath == nil && signed.proxy == nil,
      "a grant adds a credential")
    try require(
      signed.remoteHost?.lowercased() == "example.com" && signed.remoteUser == "usr1", "the password is sent elsewhere")
    try require(
      before.direction == .send
        ? signed.paths == before.paths && signed.sourceRoot == nil : signed.destinationRoot == "/mine",
      "a grant changes a path of this side")
    try signed.validate()
    return true
  }
}
