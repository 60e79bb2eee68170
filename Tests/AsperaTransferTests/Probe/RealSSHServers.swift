// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import Foundation
import StorageAuth
import XCTest

/// Real SSH servers on 127.0.0.1, which Tests/Sshd starts and which stop with the process of the tests.
final class RealSSHServers: Sendable {
  /// The password of the accounts, unique to this run.
  static let password = "Pass word-\(UUID().uuidString) $HOME %h \"'\\"

  /// The folder of the host keys, the logs and the accounts' keys.
  let folder: URL
  /// The account that accepts the keys, and the password where passwords are supported.
  let user: String
  private let ports: [String: Int]
  private let process: Process
  private let input: Pipe

  /// Starts the servers.
  ///
  /// - Parameter authorizedKeys: The public key lines that the servers accept.
  /// - Throws: `XCTSkip` with the reason if the servers cannot be started.
  init(folder: URL, authorizedKeys: String) throws {
    self.folder = folder
    try Data(authorizedKeys.utf8).write(to: folder.appending(path: "authorized_keys"))
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sshd/run.sh").standardizedFileURL
    process = Process()
    process.executableURL = script
    process.arguments = [folder.path]
    input = Pipe()
    let output = Pipe()
    let errors = folder.appending(path: "errors")
    _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
    process.standardInput = input
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data("\(Self.password)\n".utf8))
    var lines: [String: String] = [:]
    var text = ""
    while lines["user"] == nil {
      let bytes = output.fileHandleForReading.availableData
      if bytes.isEmpty { break }
      text += String(decoding: bytes, as: UTF8.self)
      for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
        let fields = line.split(separator: " ", maxSplits: 1)
        if fields.count == 2 { lines[String(fields[0])] = String(fields[1]) }
      }
    }
    guard let user = lines["user"] else {
      process.waitUntilExit()
      let reason = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
      throw XCTSkip("NO REAL SSHD: \(reason)")
    }
    self.user = user
    ports = lines.compactMapValues { Int($0) }
  }

  /// Stops the servers and waits until they have exited.
  func stop() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// Returns the port of a server; throws `XCTSkip` if this user cannot start that server.
  func port(_ name: String) throws -> Int {
    guard let port = ports[name] else {
      throw XCTSkip("NO REAL SSHD WITH PASSWORDS: only root can start one. Run the tests as root, in a container.")
    }
    return port
  }

  /// Returns the fingerprint of one of the host keys.
  func hostKey(_ type: String) throws -> HostKeyFingerprint {
    let line = try String(contentsOf: folder.appending(path: "host_\(type).pub"), encoding: .utf8)
    let blob = try XCTUnwrap(Data(base64Encoded: String(line.split(separator: " ")[1])))
    return HostKeyFingerprint(ofKey: Array(blob))
  }

  /// Returns the log of a server.
  func log(_ name: String) throws -> String {
    try String(contentsOf: folder.appending(path: "\(name).log"), encoding: .utf8)
  }

  /// Returns an account with a password.
  func account(
    _ server: String, user: String? = nil, password: String = password, hostKey: HostKeyFingerprint? = nil
  ) throws -> AsperaAccount {
    try AsperaAccount(
      host: "127.0.0.1", user: user ?? self.user, password: Secret(password), sshPort: port(server), hostKey: hostKey)
  }

  /// Returns an account with a key.
  func account(
    _ server: String = "keys", user: String? = nil, key: AsperaPrivateKey, hostKey: HostKeyFingerprint? = nil
  ) throws -> AsperaAccount {
    try AsperaAccount(
      host: "127.0.0.1", user: user ?? self.user, privateKey: key, sshPort: port(server), hostKey: hostKey)
  }
}
