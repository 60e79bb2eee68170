import AsperaAuth
import StorageAuth
import StorageAuthTesting
import StorageJSON

extension Targets {
  private static let pieces = [
    "{", "}", "[", "]", ",", ":", "\"", "\\", "\\n", "\\u0000", "\\ud83d", "null", "true", "false", "0", "-1", "1e400",
    "18446744073709551615", "\"token\":\"hidden-token\"", "\"remote_password\":\"hidden-password\"",
    "\"ssh_private_key\":\"hidden-key\"", "\"direction\":\"send\"", "\"paths\":[{\"source\":\"/a\"}]",
    "\"sshfp\":null", "\"wss_enabled\":true,\"wss_port\":443", "\"proxy\":\"dnat://u:hidden-proxy@h\"",
    "\"keepalive\":true",
    "\"cipher\":\"aes-128\"", "\"multi_session\":2", "\"tags\":{\"a\":{\"password\":\"hidden-tag\"}}", "\u{e9}",
  ]

  private static func samples(_ samples: Samples) -> [[UInt8]] {
    samples.all("transfer_spec").map(\.serialized) + samples.all("response_ok").map(\.serialized)
      + samples.all("with_life").map(\.serialized)
  }

  /// Fields that ascp takes.
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

  /// A specification with some fields changed, mostly so that it stays one.
  private static func changed(_ input: [UInt8], _ random: inout SeededGenerator) -> TransferSpec? {
    guard var specification = try? TransferSpec(json: input) else { return nil }
    for _ in 0..<random.below(5) {
      let field = random.pick(fields)
      let kind = random.below(8)
      specification.fields[field.name] = kind == 0 ? random.pick(oddValues) : kind == 1 ? nil : field.value
    }
    return specification
  }

  static func json(_ samples: Samples) -> Target {
    let mutator = Mutator(samples: Self.samples(samples), pieces: pieces)
    return Target(name: "JSON", weight: 8, mutator: mutator) { input, _ in
      guard let value = try? JSONValue(parsing: input) else { return false }
      let text = value.serialized
      try require(try JSONValue(parsing: text) == value, "JSON that is written is not read as it was")
      try require(try JSONValue(parsing: text).serialized == text, "JSON that is written twice differs")
      return true
    }
  }

  static func specifications(_ samples: Samples) -> Target {
    let mutator = Mutator(samples: Self.samples(samples), pieces: pieces)
    return Target(name: "specifications", weight: 6, mutator: mutator) { input, _ in
      guard let specification = try? TransferSpec(json: input) else { return false }
      try require(
        try TransferSpec(json: specification.json) == specification, "a specification changes when it is written")
      let bare = specification.withoutSecrets
      try require(bare.withoutSecrets == bare, "a copy without secrets has secrets")
      for name in ["token", "remote_password", "ssh_private_key", "proxy"] {
        if case .text? = bare.fields[name] { throw BrokenRule("a copy without secrets has \(name)") }
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
  }

  static func commands(_ samples: Samples) -> Target {
    let mutator = Mutator(samples: Self.samples(samples), pieces: pieces, keeps: 2)
    return Target(name: "ascp's arguments", weight: 6, mutator: mutator) { input, random in
      guard let specification = changed(input, &random) else { return false }
      var options = AscpCommand.Options(managementPort: 1, tokenKeyPath: "/key", homeDirectory: "/home")
      options.givesUpHostKey = random.below(2) == 0
      options.usesFileList = random.below(4) > 0
      options.part = random.below(2) == 0 ? .init(index: 1, of: 2, separatesPorts: true) : nil
      guard let command = try? AscpCommand(specification, options: options) else { return false }
      let arguments = command.arguments(listPath: "/list")
      try checkSecrets(of: specification, arguments, "\(command)")
      try require(!arguments.contains { $0.unicodeScalars.contains("\0") }, "an argument holds a null character")
      let breaks = (command.list?.lines ?? []).contains { $0.unicodeScalars.contains { $0 == "\n" || $0 == "\r" } }
      try require(!breaks, "a line of the list breaks")
      return true
    }
  }

  /// The secrets of a specification are in no argument, unless the input has the same text where it is none.
  private static func checkSecrets(of specification: TransferSpec, _ arguments: [String], _ shown: String) throws {
    var rest = specification.withoutSecrets
    rest.cookie = nil
    let open = String(decoding: rest.json, as: UTF8.self)
    for name in ["token", "remote_password", "ssh_private_key", "ssh_private_key_passphrase", "cookie"] {
      guard let secret = specification.fields[name]?.text, secret.count >= 8, !open.contains(secret) else { continue }
      try require(!(arguments + [shown]).contains { $0.contains(secret) }, "\(name) is in an argument")
    }
    let hidden = (arguments + [shown]).contains { $0.contains("hidden-proxy") }
    try require(!hidden || open.contains("hidden-proxy"), "the password of the proxy is in an argument")
  }

  static func signing(_ samples: Samples) -> Target {
    let mutator = Mutator(samples: Self.samples(samples), pieces: pieces)
    let account = try? AsperaAccount(host: "example.com", user: "usr1", password: Secret("right"))
    let upload = TransferSpec(.send, [TransferPath("/mine")])
    let download = TransferSpec(.receive, [TransferPath("/a", to: "b")], destinationRoot: "/mine")
    return Target(name: "grants", weight: 6, mutator: mutator) { input, random in
      guard let answer = changed(input, &random) else { return false }
      let before = random.below(2) == 0 ? upload : download
      var signed = before
      do {
        try TransferSigner(account: account).sign(
          &signed, with: TransferGrant(token: nil, specification: answer), in: .at(Timestamp(unixSeconds: 0)))
      } catch {
        try require(signed.json == before.json, "a specification that is refused is changed")
        return false
      }
      try require(signed.remotePassword?.reveal() == "right", "a grant changes the password")
      try require(
        signed.sshPrivateKey == nil && signed.sshPrivateKeyPath == nil && signed.proxy == nil,
        "a grant brings a credential")
      try require(
        signed.remoteHost?.lowercased() == "example.com" && signed.remoteUser == "usr1", "the password goes elsewhere")
      try require(
        before.direction == .send
          ? signed.paths == before.paths && signed.sourceRoot == nil : signed.destinationRoot == "/mine",
        "a grant changes a path of this side")
      try signed.validate()
      return true
    }
  }
}
