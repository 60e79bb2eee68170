// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import Foundation
import StorageAuth
import StorageAuthTesting
import XCTest

/// The committed keys, copied to files with the permissions that a test requires.
struct KeyFolder {
  /// The passphrase of all encrypted keys.
  static let passphrase = Secret("correct horse")

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// The folder's path.
  var path: String { folder.path }

  /// Returns the contents of a committed key.
  static func text(_ name: String) throws -> [UInt8] {
    let url = try XCTUnwrap(Bundle.module.url(forResource: "Keys", withExtension: nil)).appending(path: name)
    return [UInt8](try Data(contentsOf: url))
  }

  /// Returns the fingerprint of a committed key.
  static func fingerprint(_ name: String) async throws -> String {
    try await AsperaPrivateKey.pem(Secret(bytes: text(name))).check(on: .forKeys()).fingerprint
  }

  /// Writes a committed key to a file and returns its path.
  func file(_ name: String, mode: Int = 0o600) throws -> String {
    try file(name, try Self.text(name), mode: mode)
  }

  /// Writes text to a file and returns its path.
  func file(_ name: String, _ text: [UInt8], mode: Int = 0o600) throws -> String {
    let path = try folder.write(text, to: name)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }
}

/// A machine on which every path names a committed key, with a mode and in a place that a test requires.
struct OneFile: FileReader {
  private let contents: FileContents

  init(_ name: String, mode: UInt16, place: FixedPlace?) throws {
    var contents = FileContents(try KeyFolder.text(name), permissions: mode)
    contents.place = place
    self.contents = contents
  }

  func read(_ path: String, limit: Int) throws(FileReadError) -> FileContents { contents }
}

extension ProviderContext {
  /// A context with this machine's files and commands, but without its environment and network.
  static func forKeys(
    commands: (any CommandRunner)? = ProcessRunner(), environment: [String: String] = [:], home: String? = nil,
    files: any FileReader = SystemFiles()
  ) -> ProviderContext {
    ProviderContext(
      environment: { environment[$0] }, home: home, files: files, commands: commands,
      transport: ScriptedTransport([]))
  }
}

/// Returns the error that an operation throws.
func asperaError<Value>(
  _ act: () async throws -> Value, file: StaticString = #filePath, line: UInt = #line
) async -> AsperaError? {
  do {
    _ = try await act()
    XCTFail("no error was thrown", file: file, line: line)
    return nil
  } catch {
    XCTAssertTrue(error is AsperaError, "\(error)", file: file, line: line)
    return error as? AsperaError
  }
}
