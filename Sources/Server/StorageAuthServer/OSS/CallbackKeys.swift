// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import StorageCrypto

/// The public keys of callbacks, which are fetched once and kept while there is space.
///
/// According to the vendor's documentation, the content of a key's URL never changes. Any client can send a request
/// that names a URL, and must not prevent the fetch of a genuine key: each URL with one of the ``publishedPaths`` has
/// its own allowance of fetches, and its key is never evicted. All other URLs of a host share an allowance.
actor CallbackKeys {
  private struct Entry {
    let key: PublicKey
    let isPublished: Bool
    var lastUse: UInt64
  }

  /// The failed fetches of a published URL since its last success, and the uptime before which it is not fetched again.
  private struct Failures {
    var count = 0
    var pauseEnd = Duration.zero
  }

  /// The path of the key on the page "Callback", and those of its next versions.
  private static let publishedPaths = Set((1...9).map { "/callback_pub_key_v\($0).pem" })

  private static let unpublishedKeyLimit = 8
  private static let keyByteLimit = 16 * 1024
  private static let keyBitCounts = 512...4_096
  private static let fetchTimeout = Duration.seconds(5)
  /// The number of fetches from other, different paths of one host that may start in ``fetchPeriod``.
  private static let fetchLimit = 10
  private static let fetchPeriod = Duration.seconds(60)
  /// The pause after the first failed fetch of a published URL, and the limit up to which it doubles.
  private static let (initialPause, pauseLimit) = (Duration.seconds(1), Duration.seconds(30))

  private let transport: any HTTPTransport
  private let time: any SigningClock
  private var entries: [String: Entry] = [:]
  private var runningFetches: [String: Task<Result<PublicKey, CallbackRefusal>, Never>] = [:]
  /// The failures of published URLs, whose number is limited by ``publishedPaths`` and the accepted hosts.
  private var failures: [String: Failures] = [:]
  /// The fetches from other paths in the last ``fetchPeriod``, at most ``fetchLimit`` for each host.
  private var recentFetches: [(host: String, name: String, uptime: Duration)] = []
  private var useCount: UInt64 = 0

  init(transport: any HTTPTransport, time: any SigningClock) {
    self.transport = transport
    self.time = time
  }

  /// Returns the public key at a URL, from memory if possible; concurrent calls for a URL share one fetch.
  func key(at url: ServiceURL) async throws(CallbackRefusal) -> PublicKey {
    let name = url.visible
    if let entry = entries[name] {
      useCount &+= 1
      entries[name]?.lastUse = useCount
      return entry.key
    }
    if let fetch = runningFetches[name] { return try await fetch.value.get() }
    let isPublished = Self.publishedPaths.contains(url.path)
    if !isPublished {
      try recordFetch(of: name, on: url.authority)
    } else if let failures = failures[name], time.uptime < failures.pauseEnd {
      throw Self.recentFetchRefusal
    }
    let fetch = Task { [transport, time] in
      let result = await Self.keyFetchedInTime(url, transport, time)
      finishFetch(of: name, isPublished: isPublished, with: result)
      return result
    }
    runningFetches[name] = fetch
    return try await fetch.value.get()
  }

  private static let recentFetchRefusal = CallbackRefusal(
    .keyUnavailable, "The public key could not be fetched just now. Try again later.")

  /// Records a fetch from a path that is not published, or throws a refusal beyond the limit.
  private func recordFetch(of name: String, on host: String) throws(CallbackRefusal) {
    let uptime = time.uptime
    recentFetches.removeAll { uptime - $0.uptime >= Self.fetchPeriod }
    if recentFetches.contains(where: { $0.name == name }) { throw Self.recentFetchRefusal }
    guard recentFetches.count(where: { $0.host == host }) < Self.fetchLimit else {
      throw CallbackRefusal(.keyUnavailable, "Too many different public keys were requested. Try again later.")
    }
    recentFetches.append((host, name, uptime))
  }

  private func finishFetch(of name: String, isPublished: Bool, with result: Result<PublicKey, CallbackRefusal>) {
    runningFetches[name] = nil
    guard case .success(let key) = result else {
      if isPublished { delayNextFetch(of: name) }
      return
    }
    failures[name] = nil
    if !isPublished { evictKeyIfFull() }
    useCount &+= 1
    entries[name] = Entry(key: key, isPublished: isPublished, lastUse: useCount)
  }

  private func delayNextFetch(of name: String) {
    var failuresOfURL = failures[name] ?? Failures()
    // Five doublings exceed the limit.
    let pause = min(Self.pauseLimit, Self.initialPause * (1 << min(failuresOfURL.count, 5)))
    failuresOfURL.pauseEnd = time.uptime + pause
    failuresOfURL.count += 1
    failures[name] = failuresOfURL
  }

  /// Evicts the least recently used key from an unpublished path if there is no space for one more.
  private func evictKeyIfFull() {
    let unpublished = entries.filter { !$0.value.isPublished }
    guard unpublished.count >= Self.unpublishedKeyLimit else { return }
    let leastRecentlyUsed = unpublished.min { $0.value.lastUse < $1.value.lastUse }?.key
    if let leastRecentlyUsed { entries[leastRecentlyUsed] = nil }
  }

  private static func keyFetchedInTime(
    _ url: ServiceURL, _ transport: any HTTPTransport, _ time: any SigningClock
  ) async -> Result<PublicKey, CallbackRefusal> {
    let outcome = await time.run(timeout: fetchTimeout) {
      await Result.catching { () async throws(CallbackRefusal) in try await fetchedKey(at: url, transport) }
    }
    guard case .finished(let result) = outcome else {
      return .failure(CallbackRefusal(.keyUnavailable, "The public key did not arrive in time."))
    }
    return result
  }

  private static func fetchedKey(
    at url: ServiceURL, _ transport: any HTTPTransport
  ) async throws(CallbackRefusal) -> PublicKey {
    let body: [UInt8]?
    do {
      let response = try await transport.send(url.call(.get).request, body: .none)
      // A redirect has another status.
      guard response.response.status == .ok else {
        throw CallbackRefusal(.keyUnavailable, "The status for the public key is \(response.response.status.code).")
      }
      body = try await response.body.collected(upTo: keyByteLimit)
    } catch {
      throw error as? CallbackRefusal
        ?? CallbackRefusal(.keyUnavailable, "The public key cannot be fetched from \(url.visible).")
    }
    guard let body, let key = try? PublicKey(pem: String(decoding: body, as: UTF8.self)),
      case .rsa(let bitCount) = key.kind, keyBitCounts.contains(bitCount)
    else { throw CallbackRefusal(.keyUnavailable, "The document at \(url.visible) is not an RSA public key.") }
    return key
  }
}
