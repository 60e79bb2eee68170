// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The steps of a service, and the last one, which removes what the others have created.
struct ServiceSteps: Sendable {
  let service: String

  /// The location below which everything is created, such as `oss://photos/storage-auth-live/…/`.
  let location: String

  let steps: [Step]

  /// The step that removes everything at the location.
  let cleanup: Step

  var cost: Cost { steps.map(\.cost).reduce(cleanup.cost, +) }

  /// Returns a name below which no other run, and no user of the bucket, has anything.
  static func randomName() -> String {
    String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
  }
}
