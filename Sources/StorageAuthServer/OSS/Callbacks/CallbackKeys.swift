// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CloudCredentials
internal import HTTPTypes
internal import StorageAuth
internal import StorageKeys

/// The public keys of callbacks, each fetched once.
///
/// The content of a key's URL never changes, according to the vendor's documentation, so that a key is kept for as long
/// as there is space.
actor CallbackKeys {
  private struct Entry {
    let key: PublicKey
    var lastUse: UInt64
  }

  private static let keyLimit = 8
  private static let keyByteLimit = 16 * 1024
  private static let keyBitCounts = 512...4_096

  /// The time that one fetch may last.
  private static let timeLimit = Duration.seconds(5)

  /// The number of fetches that may start in ``period``, so that callers who invent URLs cause little traffic.
  private static let fetchLimit = 10
  private static let period = Duration.seconds(60)

  private let transport: any HTTPTransport
  private let time: any SigningClock
  private var entries: [String: Entry] = [:]
  private var flights: [String: Task<Result<PublicKey, CallbackRefusal>, Never>] = [:]
  private var starts: [Duration] = []
  private var uses: UInt64 = 0

  init(transport: any HTTPTransport, time: any SigningClock) {
    self.transport = transport
    self.time = time
  }

  /// Returns the public key at a URL, from memory if possible.
  ///
  /// Concurrent calls for a URL share one fetch.
  func key(at url: ServiceURL) async throws(CallbackRefusal) -> PublicKey {
    let name = url.visible
    if let entry = entries[name] {
      uses &+= 1
      entries[name]?.lastUse = uses
      return entry.key
    }
    if let flight = flights[name] { return try await flight.value.get() }
    return try await start(url, name).value.get()
  }

  private func start(
    _ url: ServiceURL, _ name: String
  ) throws(CallbackRefusal) -> Task<Result<PublicKey, CallbackRefusal>, Never> {
    let uptime = time.uptime
    starts.removeAll { uptime - $0 >= Self.period }
    guard starts.count < Self.fetchLimit else {
      throw CallbackRefusal(.keyUnavailable, "Too many different public keys were requested. Try again later.")
    }
    starts.append(uptime)
    let flight = Task { [transport, time] in
      let result = await Self.fetch(url, transport, time)
      end(name, with: result)
      return result
    }
    flights[name] = flight
    return flight
  }

  private func end(_ name: String, with result: Result<PublicKey, CallbackRefusal>) {
    flights[name] = nil
    guard case .success(let key) = result else { return }
    if entries.count >= Self.keyLimit, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })?.key {
      entries[oldest] = nil
    }
    uses &+= 1
    entries[name] = Entry(key: key, lastUse: uses)
  }

  /// Fetches a public key within the time limit.
  private static func fetch(
    _ url: ServiceURL, _ transport: any HTTPTransport, _ time: any SigningClock
  ) async -> Result<PublicKey, CallbackRefusal> {
    await withTaskGroup(of: Result<PublicKey, CallbackRefusal>.self) { group in
      group.addTask {
        do throws(CallbackRefusal) {
          return .success(try await fetch(url, transport))
        } catch {
          return .failure(error)
        }
      }
      group.addTask {
        try? await time.sleep(for: timeLimit)
        return .failure(CallbackRefusal(.keyUnavailable, "The public key did not arrive in time."))
      }
      let first = await group.next()
      group.cancelAll()
      return first ?? .failure(CallbackRefusal(.keyUnavailable, "The public key did not arrive."))
    }
  }

  private static func fetch(
    _ url: ServiceURL, _ transport: any HTTPTransport
  ) async throws(CallbackRefusal) -> PublicKey {
    let body: [UInt8]?
    do {
      let reply = try await transport.send(url.call(.get).request, body: .none)
      // A redirect has another status.
      guard reply.response.status == .ok else {
        throw CallbackRefusal(.keyUnavailable, "The status for the public key is \(reply.response.status.code).")
      }
      body = try await reply.body.collected(upTo: keyByteLimit)
    } catch let refusal as CallbackRefusal {
      throw refusal
    } catch {
      throw CallbackRefusal(.keyUnavailable, "The public key cannot be fetched from \(url.visible).")
    }
    guard let body, let key = try? PublicKey(pem: String(decoding: body, as: UTF8.self)),
      case .rsa(let bitCount) = key.kind, keyBitCounts.contains(bitCount)
    else {
      throw CallbackRefusal(.keyUnavailable, "The document at \(url.visible) is not an RSA public key.")
    }
    return key
  }
}
