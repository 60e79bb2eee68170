// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import LocalCloud
internal import StorageClient

/// The counts and the violations of a run.
public struct Report: Sendable, CustomStringConvertible {
  /// The duration of the run.
  public let duration: Duration

  /// The counts, one per line.
  public private(set) var lines: [String] = []

  /// The violations; empty after a successful run.
  public private(set) var violations: [String] = []

  /// The number of repeated writes of objects.
  private var rewritten = 0

  /// The counts by name.
  public private(set) var counts: [String: Int] = [:]

  init(duration: Duration) {
    self.duration = duration
  }

  /// The counts and the violations as text.
  public var description: String {
    let verdict = violations.isEmpty ? "No object was lost or duplicated, and no request was unsigned." : ""
    return (lines + [verdict] + violations.map { "VIOLATION: \($0)" }).filter { !$0.isEmpty }.joined(separator: "\n")
  }

  mutating func count(_ tally: Tally, _ cloud: LocalCloud, _ stores: [Store]) {
    let counts = tally.counts
    let statistics = cloud.statistics
    let watched = stores.map(\.transport.counts)
    enter("uploads", counts.uploads)
    enter("downloads", counts.downloads)
    enter("bytes", Int(counts.bytes))
    enter("requests", watched.reduce(0) { $0 + $1.requests })
    enter("signatures", counts.signatures)
    enter("verified", statistics.verifiedCount)
    enter("faults", LongRun.services.reduce(0) { $0 + statistics[$1].faults })
    enter("faults of the token services", statistics[.sts].faults + statistics[.appServer].faults)
    enter("renewed credentials", counts.refreshes)
    enter("credentials issued", statistics[.appServer].issued + statistics[.sts].issued)
    enter("failed renewals", counts.failedRefreshes)
    enter("clock differences learnt", counts.skews)
    for (reason, count) in counts.retries.sorted(by: { $0.key < $1.key }) { enter("retry, \(reason)", count) }
    for (code, count) in statistics.refused.sorted(by: { $0.key < $1.key }) { enter("refused, \(code)", count) }
    lines.append("took \(duration)")
  }

  /// Checks the objects, the writes and the signatures that the cloud recorded.
  mutating func check(
    _ tally: Tally, _ cloud: LocalCloud, _ stores: [Store], over transport: any HTTPTransport, time: any SigningClock
  ) async throws {
    let counts = tally.counts
    violations += counts.failures
    for store in stores where store.transport.counts.unsigned > 0 {
      violations.append("\(store.name): \(store.transport.counts.unsigned) requests were sent without a signature")
    }
    for endpoint in LongRun.services where cloud.statistics[endpoint].unsigned > 0 {
      violations.append("\(endpoint.rawValue): \(cloud.statistics[endpoint].unsigned) unsigned requests were received")
    }
    for provider in LocalCloud.Provider.allCases {
      let expected = counts.stored[provider] ?? [:]
      try await checkObjects(
        expected, at: Store.auditor(of: provider, on: cloud, over: transport, time: time), provider)
      checkWrites(cloud.writes(of: provider, in: Store.bucket), expected, stores.filter { $0.provider == provider })
    }
    enter("written again after a lost answer", rewritten)
  }

  private mutating func enter(_ name: String, _ count: Int) {
    counts[name] = count
    lines.append("\(name): \(count)")
  }

  /// Checks that exactly the uploaded objects exist, with their bytes.
  private mutating func checkObjects(
    _ expected: [String: Tally.Stored], at store: any ObjectStore, _ provider: LocalCloud.Provider
  ) async throws {
    var found = Set<String>()
    for try await case .object(let object) in store.list() { found.insert(object.key) }
    for key in found.subtracting(expected.keys) { violations.append("\(provider.rawValue): \(key) was not uploaded") }
    for key in Set(expected.keys).subtracting(found) { violations.append("\(provider.rawValue): \(key) is lost") }
    violations += try await withThrowingTaskGroup(of: String?.self) { group in
      for (key, stored) in expected where found.contains(key) {
        group.addTask {
          try await Self.isWhole(key, stored, at: store) ? nil : "\(provider.rawValue): \(key) has other bytes"
        }
      }
      return try await group.reduce(into: []) { problems, problem in problem.map { problems.append($0) } }
    }
  }

  /// Reads an object completely, which compares its bytes with the service's checksum, and compares that with the
  /// checksum of the uploaded bytes.
  private static func isWhole(_ key: String, _ stored: Tally.Stored, at store: any ObjectStore) async throws -> Bool {
    let object = try await store.open(key)
    var count = 0
    for try await chunk in object.body { count += chunk.count }
    return count == stored.object.size && object.info.checksum == stored.checksum
  }

  /// Checks that every object was written once, or repeatedly only after a lost response.
  private mutating func checkWrites(_ writes: [String: Int], _ expected: [String: Tally.Stored], _ stores: [Store]) {
    let lost = stores.map(\.transport.counts.lostAnswers)
    for key in expected.keys {
      let losses = lost.reduce(0) { $0 + ($1["/\(Store.bucket)/\(key)"] ?? 0) }
      let count = writes[key] ?? 0
      rewritten += count - 1
      if !(1...1 + losses).contains(count) {
        violations.append("\(key) was written \(count) times, with \(losses) lost responses")
      }
    }
  }
}
