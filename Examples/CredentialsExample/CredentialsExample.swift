import ArgumentParser
import ExampleSupport
import Foundation
import LocalCloud
import StorageClient

/// Keys that look after themselves: from an app's server, from a callback, put in by hand.
@main
struct CredentialsExample: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "CredentialsExample",
    abstract: "Gets keys from an app's server, from a callback and by hand, and works with them while they change.")

  @Option(help: "The URL of your app's server, which answers with temporary keys; LocalCloud's if not given.")
  var appServer: String?

  @Option(help: "The bucket of OSS that those keys may use.")
  var bucket: String?

  @Option(help: "The region of the bucket.")
  var region: String?

  @Flag(help: "Use LocalCloud, whatever else is said.")
  var local = false

  func validate() throws {
    guard appServer == nil || local || bucket != nil && region != nil else {
      throw ValidationError("Name the --bucket and the --region that the keys of the app server may use.")
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

  /// The app's server answers with JSON: `distribute-token.json`, or the shapes of COS.
  private func fromTheAppServer(_ place: Place) async throws {
    say("# from the app's server")
    let credentials = CredentialCache(.appServer(place.appServer))
    let client = StorageClient(place.bucket, credentials: credentials)
    let events = client.events.observe { say("  \($0.line)") }
    try await client.upload(Array("a cat".utf8), to: "example/cat.txt")
    // The service calls the key expired: the client gets another one, signs again and goes on.
    try await place.expiringKeys { try await client.upload(Array("a dog".utf8), to: "example/dog.txt") }
    events.cancel()
  }

  /// The app has a way of its own to get keys; it is called when a key is needed, never twice at once.
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

  /// The app is told its keys, and puts each new one in; whoever uploads at that moment goes on with it.
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
  /// The event in a line.
  fileprivate var line: String {
    switch self {
    case .signed(let event): "signed \(event.subject) with \(event.identity ?? "nothing")"
    case .refresh(let event):
      switch event.outcome {
      case .started: "asks \(event.source) for a key"
      case .succeeded(_, let life?): "has a key from \(event.source) that lives for \(life.components.seconds) seconds"
      case .succeeded(_, nil): "has a key from \(event.source) that does not end"
      case .failed(let error, let backoff): "got no key, asks again after \(backoff): \(error)"
      }
    case .retry(let event): "tries \(event.subject) again: \(event.reason)"
    case .transfer(let event): "\(event.subject): \(event.failure ?? "\(event.bytes) bytes")"
    default: "\(self)"
    }
  }
}
