// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import StorageAuthTesting
import StorageCrypto

@testable import AsperaAuth

/// Readers of private keys.
extension Reader {
  static let keys = [keyTexts, keyContainers]

  private static let labels = [
    "OPENSSH PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "PRIVATE KEY", "ENCRYPTED PRIVATE KEY",
  ]

  private static let keyGrowths = Growths.bytes([
    "lines": { "-----BEGIN RSA PRIVATE KEY-----\n" + repeated("AAAA\n", to: $0) + "-----END RSA PRIVATE KEY-----" },
    "headers": { "-----BEGIN RSA PRIVATE KEY-----\n" + repeated("a: b\n", to: $0) },
    "beginnings": { repeated("-----BEGIN A-----\n", to: $0) }, "hyphens": { repeated("-", to: $0) },
    "an OpenSSH key": {
      "-----BEGIN OPENSSH PRIVATE KEY-----\n" + repeated("AAAA", to: $0) + "\n-----END OPENSSH PRIVATE KEY-----"
    },
  ]) { bytes in _ = try? EncodedPrivateKey(bytes, at: KeyLocation(.file("k"))) }

  private static let keyTexts = Reader(name: "key-texts", growths: keyGrowths, run: check)

  /// Keys with a valid PEM text and damaged contents.
  private static let keyContainers = Reader(
    name: "key-containers",
    growths: .none(because: "a repeated container is one container and a rest; key-texts measures texts of keys")
  ) { input, random in
    let isOpenSSH = input.starts(with: "openssh-key-v1".utf8)
    let label = isOpenSSH ? labels[0] : random.pick(labels)
    let text =
      "-----BEGIN \(label)-----\n\(String(writing: { $0.append(base64: input) }))\n-----END \(label)-----\n"
    return try await check(Array(text.utf8), &random)
  }

  /// Checks a key and converts it for both clients; the result of a conversion must be a valid key.
  @Sendable private static func check(_ text: [UInt8], _ random: inout SeededGenerator) async throws -> Bool {
    let machine = ProviderContext(
      environment: { _ in nil }, home: nil, files: NoFiles(), transport: ScriptedTransport([]))
    // A passphrase is tried only occasionally, because decrypting a key is slow by design.
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

/// A file reader without files.
private struct NoFiles: FileReader {
  func read(_ path: String, limit: Int) throws(FileReadError) -> FileContents { throw .notFound }
}
