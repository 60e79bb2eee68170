// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

/// Disposable keys in every file format of `ssh-keygen` and `openssl`, generated for one run.
struct KeyFiles: Sendable {
  /// A private key file.
  struct File: Sendable {
    let name: String
    let isEncrypted: Bool
  }

  /// The error of a shell command line.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The passphrase of the encrypted keys, unique to this run.
  static let passphrase = "Pass phrase-\(UUID().uuidString) %d $PATH"

  let folder: URL
  /// The keys that OpenSSH can use, directly or after a conversion.
  private(set) var usable: [File] = []

  /// Generates the keys.
  init(in folder: URL) throws {
    self.folder = folder
    try run("ssh-keygen -q -t rsa -b 2048 -m PEM -N '' -C rsa -f rsa-pem")
    try run("ssh-keygen -q -t ecdsa -m PEM -N '' -C ecdsa -f ecdsa-sec1")
    try run("ssh-keygen -q -t ed25519 -N '' -C ed25519 -f ed25519-openssh")
    try run("openssl genpkey -algorithm ed25519 -out ed25519-pkcs8")
    try run("ssh-keygen -q -t ed25519 -N '' -C stranger -f stranger")
    plain(["rsa-pem", "ecdsa-sec1", "ed25519-openssh", "ed25519-pkcs8"])
    for kind in ["rsa-pem", "ecdsa-sec1"] {
      try copy(kind, "openssh", "ssh-keygen -q -p -P '' -N '' -f")
      try copy(kind, "openssh-ctr", "ssh-keygen -q -p -P '' -N \"$PASSPHRASE\" -Z aes256-ctr -f", isEncrypted: true)
      try copy(
        kind, "openssh-gcm", "ssh-keygen -q -p -P '' -N \"$PASSPHRASE\" -Z aes256-gcm@openssh.com -f", isEncrypted: true
      )
      try copy(kind, "dek-aes", "ssh-keygen -q -p -P '' -N \"$PASSPHRASE\" -m PEM -f", isEncrypted: true)
      try convert(kind, "pkcs8", "-nocrypt")
    }
    try run("openssl rsa -in rsa-pem -traditional -des3 -passout env:PASSPHRASE -out rsa-pem-dek-des")
    usable.append(File(name: "rsa-pem-dek-des", isEncrypted: true))
    try copy("ed25519-openssh", "ctr", "ssh-keygen -q -p -P '' -N \"$PASSPHRASE\" -f", isEncrypted: true)
    for (kind, name, options) in [
      ("rsa-pem", "pbkdf2", "-v2 aes128 -v2prf hmacWithSHA1"),
      ("rsa-pem", "sha256", "-v2 aes256 -v2prf hmacWithSHA256"),
      ("rsa-pem", "scrypt", "-v2 aes256 -scrypt"), ("ecdsa-sec1", "pbes2", "-v2 aes256"),
      ("ed25519-pkcs8", "pbes2", "-v2 aes256"),
    ] {
      try convert(kind, name, options + " -passout env:PASSPHRASE", isEncrypted: true)
    }
  }

  /// The public key lines that the servers accept: all except that of the unknown key `stranger`.
  func authorizedKeys() throws -> String {
    try text("rsa-pem.pub") + text("ecdsa-sec1.pub") + text("ed25519-openssh.pub") + publicKey(ofPKCS8: "ed25519-pkcs8")
  }

  /// Returns the path of a file.
  func path(_ name: String) -> String { folder.appending(path: name).path }

  /// Returns the contents of a file.
  func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

  /// Runs a shell command line in the folder.
  func run(_ line: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "umask 077; \(line) >log 2>&1"]
    process.currentDirectoryURL = folder
    process.environment = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "PASSPHRASE": Self.passphrase]
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    let log = (try? text("log")) ?? ""
    if process.terminationStatus == 127 { throw XCTSkip("NO KEYS: install openssh-client and openssl. \(log)") }
    guard process.terminationStatus == 0 else { throw Failure(description: "\(line): \(log)") }
  }

  private mutating func plain(_ names: [String]) {
    usable += names.map { File(name: $0, isEncrypted: false) }
  }

  /// Copies a key and changes the copy in place.
  private mutating func copy(_ kind: String, _ name: String, _ line: String, isEncrypted: Bool = false) throws {
    try run("cp \(kind) \(kind)-\(name) && \(line) \(kind)-\(name)")
    usable.append(File(name: "\(kind)-\(name)", isEncrypted: isEncrypted))
  }

  /// Encodes a key as PKCS #8.
  private mutating func convert(_ kind: String, _ name: String, _ options: String, isEncrypted: Bool = false) throws {
    try run("openssl pkcs8 -topk8 -in \(kind) -out \(kind)-\(name) \(options)")
    usable.append(File(name: "\(kind)-\(name)", isEncrypted: isEncrypted))
  }

  /// Returns the public key line of an Ed25519 key, whose public key is the end of its DER encoding.
  private func publicKey(ofPKCS8 name: String) throws -> String {
    try run("openssl pkey -in \(name) -pubout -outform DER -out \(name).der")
    let key = try Data(contentsOf: folder.appending(path: "\(name).der")).suffix(32)
    let blob = Data([0, 0, 0, 11]) + Data("ssh-ed25519".utf8) + Data([0, 0, 0, 32]) + key
    return "ssh-ed25519 \(blob.base64EncodedString()) pkcs8\n"
  }
}
