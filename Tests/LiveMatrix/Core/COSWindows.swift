// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageClient

/// The steps about the windows in which signatures of COS are valid.
struct COSWindows: Sendable {
  let context: LiveContext
  let keys: LiveKeys

  /// Returns the bucket, with a signer whose signatures have the given window.
  let provider: @Sendable (COSKeyTime) -> COSProvider

  /// The steps, of which a refusal costs a second request if the clock of the service is in another second.
  var steps: [Step] {
    [
      Step("signature in its window", Cost(requests: 1)) { try await listInWindow(from: -60, until: 600) },
      Step("signature after its window is refused", Cost(requests: 2)) {
        try await expectRefusal(as: [.requestExpired, .clockSkew]) {
          try await listInWindow(from: -7_200, until: -3_600)
        }
      },
      Step("signature before its window is refused", Cost(requests: 2)) {
        try await expectRefusal(as: [.requestExpired, .clockSkew, .accessDenied]) {
          try await listInWindow(from: 3_600, until: 7_200)
        }
      },
    ]
  }

  /// Lists a folder that does not exist with a signature whose window begins and ends so many seconds from now.
  private func listInWindow(from start: Int64, until end: Int64) async throws {
    let now = context.time.now
    let window = COSKeyTime(from: now.advanced(by: .seconds(start)), until: now.advanced(by: .seconds(end)))
    let client = StorageClient(
      provider(window), credentials: CredentialCache(try await keys.withoutDates(), time: context.time),
      configuration: context.configuration(), transport: context.transport, time: context.time)
    for try await _ in client.list(prefix: "storage-auth-live/\(ServiceSteps.randomName())/") {}
  }
}
