// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ExampleSupport
import Foundation
import LocalCloud
import StorageClient
import SystemPackage

/// A program that uploads and downloads the same files with any provider, selected on the command line.
@main
struct AnyProviderExample: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "AnyProviderExample", abstract: "Moves the same files through any provider.")

  @Argument(help: "The providers to use; all of them by default.")
  var providers: [ProviderName] = []

  @Option(help: "The size of the largest file, in bytes.")
  var size = 24 << 20

  @Flag(help: "Use LocalCloud, regardless of the environment.")
  var local = false

  @Option(help: "The transport of the clients.")
  var transport = TransportName.asynchttp

  func validate() throws {
    guard size > 0 else { throw ValidationError("The size must be at least 1 byte.") }
  }

  func run() async throws {
    let files = try SampleFiles(largeFileByteCount: size)
    defer { files.remove() }
    var table = Table()
    for provider in providers.isEmpty ? ProviderName.allCases : providers {
      let place = try await Place(provider, localOnly: local, transport: transport.transport)
      do {
        let moved = try await Self.move(files, through: place.store)
        table.add(provider, moved, verified: place.verified)
      } catch {
        await place.close()
        throw error
      }
      await place.close()
    }
    say(table, keepingLines: true)
  }

  /// Uploads, downloads, lists and deletes the files with a store.
  ///
  /// This code does not depend on the provider.
  static func move(_ files: SampleFiles, through store: any ObjectStore) async throws -> Moved {
    var moved = Moved()
    for file in files.all {
      let key = "example/\(file.key)"
      let uploaded = try await store.upload(file.path, to: key)
      let copy = files.folder.appending("copy")
      try await store.download(key, to: copy)
      guard try file.hasSameBytes(as: copy) else { throw ExampleError("\(key) was downloaded with other bytes.") }
      moved.add(up: uploaded.size, down: try SampleFiles.byteCount(of: copy))
    }
    var keys: [String] = []
    for try await entry in store.list(prefix: "example/") { keys.append(entry.name) }
    guard Set(files.all.map { "example/\($0.key)" }).isSubset(of: keys) else {
      throw ExampleError("A file is missing from the list.")
    }
    try await store.delete(files.all.map { "example/\($0.key)" })
    return moved
  }
}

/// An error that describes why the example stopped.
struct ExampleError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
