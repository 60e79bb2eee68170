import AsperaAuth
import CloudCredentials
import StorageAuth
import StorageAuthTesting
import StorageCrypto

extension Targets {
  private static let labels = [
    "OPENSSH PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "PRIVATE KEY", "ENCRYPTED PRIVATE KEY",
  ]

  static func keyTexts(_ samples: Samples) -> Target {
    let pieces =
      labels.flatMap { ["-----BEGIN \($0)-----\n", "-----END \($0)-----\n"] }
      + [
        "Proc-Type: 4,ENCRYPTED\n", "DEK-Info: AES-128-CBC,00\n", "\n", "\r\n", "=", "AAAA", "-----", "ssh-rsa ", "\\n",
      ]
    return Target(
      name: "key texts", weight: 1, mutator: Mutator(samples: samples.keys, pieces: pieces), run: check)
  }

  /// Keys whose text is as it should be, with something wrong inside of the contents.
  static func keyContainers(_ samples: Samples) -> Target {
    let contents = samples.keys.compactMap { Self.contents($0) }
    let pieces = [
      "openssh-key-v1\0", "none", "aes256-ctr", "bcrypt", "ssh-rsa", "ssh-ed25519", "\0\0\0\u{1}", "\0\0\0 ",
    ]
    return Target(
      name: "key containers", weight: 1, mutator: Mutator(samples: contents, pieces: pieces)
    ) { input, random in
      let isOpenSSH = input.starts(with: "openssh-key-v1".utf8)
      let label = isOpenSSH ? labels[0] : random.pick(labels)
      let text =
        "-----BEGIN \(label)-----\n\(String(writing: { $0.append(base64: input.span) }))\n-----END \(label)-----\n"
      return try await check(Array(text.utf8), &random)
    }
  }

  /// The bytes inside of a block of PEM without headers.
  private static func contents(_ text: [UInt8]) -> [UInt8]? {
    let lines = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline)
    guard lines.first?.hasPrefix("-----BEGIN ") == true, !lines.contains(where: { $0.contains(":") }) else {
      return nil
    }
    return [UInt8](base64: lines.dropFirst().dropLast().joined())
  }

  /// Checks a key, and converts it for both clients; what comes out has to be a key again.
  @Sendable private static func check(_ text: [UInt8], _ random: inout SeededGenerator) async throws -> Bool {
    let machine = MachineAccess(
      environment: { _ in nil }, home: nil, files: NoFiles(), transport: ScriptedTransport([]))
    // A passphrase is tried now and then only: opening a key is slow on purpose.
    let passphrase = random.below(64) == 0 ? Secret("wrong") : nil
    let key = AsperaPrivateKey.pem(Secret(bytes: text), passphrase: passphrase)
    let client = random.pick(PrivateKeyReport.Client.allCases)
    if random.once(in: 4), let converted = try? key.converted(for: client, on: machine), converted != key {
      _ = try await converted.check(on: machine)
    }
    do {
      return try await !key.check(on: machine).fingerprint.isEmpty
    } catch {
      try require(!"\(error)".contains("openssh-key-v1\0"), "an error shows the key")
      return false
    }
  }
}

/// No file is there.
private struct NoFiles: FileReader {
  func read(_ path: String, limit: Int) throws(FileReadError) -> FileContents { throw .notFound }
}
