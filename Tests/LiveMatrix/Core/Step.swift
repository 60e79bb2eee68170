// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A step of the matrix: something that a service must do.
struct Step: Sendable {
  /// The name of the step in the report.
  let name: String

  /// The most that the step may cost.
  let cost: Cost

  /// Carries the step out, and throws an error if the service does something else.
  let run: @Sendable () async throws -> Void

  init(_ name: String, _ cost: Cost, _ run: @escaping @Sendable () async throws -> Void) {
    self.name = name
    self.cost = cost
    self.run = run
  }
}
