// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ExampleSupport
import Foundation
import LocalCloud
import StorageClient

/// An example of clients whose temporary keys come from an app server, from a callback, or directly from the app.
@main
struct CredentialsExample: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "CredentialsExample",
    abstract: "Fetches keys from an app server, from a callback and from the app, and uses them while they change.")

  @Option(help: "The URL of your app server, which returns temporary keys; that of LocalCloud by default.")
  var appServer: String?

  @Option(help: "The OSS bucket that these keys can use.")
  var bucket: String?

  @Option(help: "The region of the bucket.")
  var region: String?

  @Flag(help: "Use LocalCloud, regardless of the other options.")
  var local = false

  func validate() throws {
    guard appServer == nil || local || bucket != nil && region != nil else {
      throw ValidationError("Pass the --bucket and the --region that the keys of the app server can use.")
    }
    guard appServer == nil || local || ProcessInfo.processInfo.environment["STORAGE_AUTH_LIVE"] == "1" else {
      throw ValidationError("Set STORAGE_AUTH_LIVE=1: this writes to and deletes from a real bucket.")
    }
  }

  func run() async throws {
    let place = try await Place(appServer: local ? nil : appServer, bucket: bucket, region: region)
    do {
      try await fromTheAppServer(place)
      try await fromACallback(place)
      try await byHand(place)
    } catch {
      await place.close()
      throw error
    }
    await place.close()
  }

  /// Uploads with keys from an app server, which returns JSON in the format of `distribute-token.json` or a COS format.
  private func fromTheAppServer(_ place: Place) async throws {
    say("# from the app's server")
    let credentials = CredentialCache(.appServer(place.appServer))
    let client = StorageClient(place.bucket, credentials: credentials)
    let events = client.events.observe { say("  \($0.line)") }
    try await client.upload(Array("a cat".utf8), to: "example/cat.txt")
    // The service reports the key as expired, so the client fetches another key, signs again and continues.
    try await place.expiringKeys { try await client.upload(Array("a dog".utf8), to: "example/dog.txt") }
    events.cancel()
  }

  /// Uploads with keys from a callback of the app, which runs when a key is needed, and never concurrently with itself.
  private func fromACallback(_ place: Place) async throws {
    say("# from a callback")
    let credentials = CredentialCache<AccessKey>(source: "my app") { try await place.temporaryKey() }
    let client = StorageClient(place.bucket, credentials: credentials)
    let events = client.events.observe { say("  \($0.line)") }
    try await withThrowingTaskGroup { group in
      for number in 1...5 { group.addTask { try await client.upload([1, 2, 3], to: "example/\(number)") } }
      try await group.waitForAll()
    }
    events.cancel()
  }

  /// Replaces the client's key directly.
  ///
  /// Uploads in progress continue with the new key.
  private func byHand(_ place: Place) async throws {
    say("# by hand")
    let client = StorageClient(place.bucket, credentials: try await place.temporaryKey())
    let events = client.events.observe { say("  \($0.line)") }
    try await client.upload([1, 2, 3], to: "example/1")
    client.credentials.replace(with: try await place.temporaryKey())
    for number in 1...5 { try await client.delete("example/\(number)") }
    try await client.delete(["example/cat.txt", "example/dog.txt"])
    events.cancel()
  }
}

extension AuthEvent {
  /// A description of the event in one line, for the output of the example.
  fileprivate var line: String {
    switch self {
    case .signed(let event): "signed \(event.subject) with \(event.identity ?? "no key")"
    case .refresh(let event):
      switch event.outcome {
      case .started: "requests a key from \(event.source)…"
      case .succeeded(_, let life?): "has a key from \(event.source), valid for \(life.components.seconds) seconds"
      case .succeeded(_, nil): "has a key from \(event.source), without expiration"
      case .failed(let error, let backoff): "received no key, retries after \(backoff): \(error)"
      case .ending(_, let life): "has a key that ends in \(life.components.seconds) seconds"
      }
    case .request(let event): "attempt \(event.attempt) of \(event.subject): \(event.failure ?? "succeeded")"
    case .retry(let event): "retries \(event.subject): \(event.reason)"
    case .transfer(let event): "\(event.subject): \(event.failure ?? "\(event.bytes) bytes")"
    default: "\(self)"
    }
  }
}
