// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import StorageAuth
import StorageAuthServer

/// A command that measures what grows with tenants, keys and signatures: memory, and the time of one more of them.
struct ScaleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scale", abstract: "Measures caches of many tenants, keys of many scopes and many used signatures.")

  /// The elements of which there are many.
  enum Subject: String, CaseIterable, ExpressibleByArgument {
    case tenants, scopes, marks

    fileprivate var usualCount: Int {
      switch self {
      case .tenants: 10_000
      case .scopes: 100_000
      case .marks: 1_000_000
      }
    }
  }

  @Argument(help: "Caches of tenants, keys of scopes in a token service, or marks of signatures in a replay store.")
  var subject: Subject

  @Option(help: "The number of them; by default 10,000 tenants, 100,000 scopes or a million marks.")
  var count: Int?

  /// The number of elements in each of the ten measured batches.
  private var batch: Int { (count ?? subject.usualCount) / 10 }

  func validate() throws {
    guard batch > 0 else { throw ValidationError("The count must be at least 10.") }
  }

  func run() async throws {
    switch subject {
    case .tenants: try await report(tenantCaches())
    case .scopes: try await report(tokenService())
    case .marks: try await report(replayStore())
    }
  }

  /// Adds elements in ten batches, and prints the time of one in each, and the memory of one.
  ///
  /// The memory is that of the last nine batches, because the first one also starts threads.
  private func report(_ add: (Int) async throws -> Void) async throws {
    var times: [Double] = []
    var peakBytes: [Double] = []
    for start in stride(from: 0, to: 10 * batch, by: batch) {
      let begin = Usage.now.processorNanoseconds
      for number in start..<(start + batch) { try await add(number) }
      let end = Usage.now
      times.append((end.processorNanoseconds - begin) / Double(batch))
      peakBytes.append(end.peakBytes)
    }
    let bytes = ((peakBytes.last ?? 0) - (peakBytes.first ?? 0)) / Double(9 * batch)
    StandardStream.print(
      "\(10 * batch) \(subject): \(rounded(bytes)) bytes each; nanoseconds of processor time for one, by tenths: "
        + times.map { "\(Int($0))" }.joined(separator: " "))
    // What was measured lives until here.
    try await add(0)
  }

  /// A key of the size of the vendors' temporary keys, which expires in an hour.
  private static func temporaryKey() -> AccessKey {
    AccessKey(
      id: "STS.example", secret: String(repeating: "s", count: 30),
      sessionToken: String(repeating: "t", count: 600), expiration: Timestamp.now.advanced(bySeconds: 3600))
  }

  private func tenantCaches() -> (Int) async throws -> Void {
    var caches: [CredentialCache<AccessKey>] = []
    return { number in
      let cache = CredentialCache<AccessKey>(source: "tenant") { Self.temporaryKey() }
      _ = try await cache.credential()
      caches.append(cache)
    }
  }

  private func tokenService() -> (Int) async throws -> Void {
    let service = TokenService(rate: nil, scopeLimit: 10 * batch) { _ in
      ClosureCredentialProvider<AccessKey>(source: "cloud") { Self.temporaryKey() }
    }
    return { number in
      let rule = AccessRule(.read, objects: .prefix("users/\(number)/"), in: "photos")
      let scope = TokenScope("user-\(number)", AccessPolicy([rule]))
      _ = try await service.key(for: KeyRequest(caller: "user-\(number)", scope: scope))
    }
  }

  private func replayStore() -> (Int) async throws -> Void {
    let store = MemoryReplayStore(limit: 20 * batch)
    let date = Timestamp.now
    return { number in
      // A mark is the hash of a signature: 64 hexadecimal digits.
      let digits = String(number, radix: 16)
      let mark = digits + String(repeating: "0", count: 64 - digits.utf8.count)
      _ = store.insert(
        mark, of: "owner\(number % 1000)", until: date.advanced(bySeconds: Int64(900 + number % 7)), at: date)
    }
  }
}
