// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageClient

/// Requires that a service reported a value.
func expect<Value: Equatable>(_ subject: String, _ found: Value, toBe expected: Value) throws(StepError) {
  guard found == expected else { throw StepError.deviation("\(subject): \(found) instead of \(expected).") }
}

/// Requires that exactly the given bytes arrived.
func expect(_ found: [UInt8]?, toBe expected: [UInt8]) throws(StepError) {
  guard let found else { throw StepError.deviation("More than \(expected.count) bytes arrived.") }
  guard found == expected else {
    throw StepError.deviation("The \(found.count) bytes that arrived are not those that were sent.")
  }
}

/// Requires that the service refuses an operation, and that its error has one of the given meanings.
func expectRefusal(as kinds: [ServiceError.Kind], of operation: () async throws -> Void) async throws {
  do {
    try await operation()
  } catch let error as ServiceError {
    guard !kinds.contains(error.kind) else { return }
    let expected = kinds.map(\.description).joined(separator: " or ")
    throw StepError.deviation("The service refused it as \(error.kind) instead of \(expected): \(error)")
  }
  throw StepError.deviation("The service accepted what it must refuse.")
}

/// Returns the given number of bytes, of which no two neighbors are equal.
func sampleBytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 251) } }
