// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageClient

extension BucketSteps {
  /// The steps with wrong keys, and with wrong clocks.
  var refusalSteps: [Step] {
    let size = Int64(Self.objectSize)
    return [
      Step("wrong secret is refused", Cost(requests: 1)) {
        let key = try await keys.current()
        try await refuse(
          AccessKey(id: key.id, secret: ServiceSteps.randomName(), sessionToken: key.sessionToken?.reveal()),
          as: [.signatureMismatch])
      },
      Step("unknown key is refused", Cost(requests: 1)) {
        let key = try await keys.current()
        let id = key.id.string.prefix(4) + ServiceSteps.randomName().uppercased().prefix(16)
        try await refuse(AccessKey(id: String(id), secret: ServiceSteps.randomName()), as: [.unknownAccessKey])
      },
      Step("temporary key without its token is refused", Cost(requests: 1)) {
        let key = try await keys.current()
        guard key.sessionToken != nil else {
          throw StepError.skipped("the key is not temporary; set \(keys.roleVariable)")
        }
        try await refuse(
          AccessKey(id: key.id, secret: key.secret), as: [.unknownAccessKey, .invalidCredential, .accessDenied])
      },
      Step("expired temporary key is refused", Cost(requests: 1)) {
        // A service that has forgotten the key does not know its ID either.
        try await refuse(try keys.expired(), as: [.credentialExpired, .unknownAccessKey])
      },
      Step("slow clock is corrected", Cost(requests: 2, objects: 1, bytes: 2 * size)) {
        try await correctClock(.seconds(-7_200))
      },
      Step("fast clock is corrected", Cost(requests: 2, objects: 1, bytes: 2 * size)) {
        try await correctClock(.seconds(7_200))
      },
    ]
  }

  /// Requires that the service refuses a key.
  func refuse(_ key: AccessKey, as kinds: [ServiceError.Kind]) async throws {
    let client = client(key)
    try await expectRefusal(as: kinds) { for try await _ in client.list(prefix: prefix) {} }
  }

  /// Uploads with a wrong clock, which the client must learn from the service's refusal.
  func correctClock(_ offset: Duration) async throws {
    let events = EventHub()
    let skews = SkewLog()
    let observation = events.observe { if case .skew(let skew) = $0 { skews.add(skew.offset) } }
    defer { observation.cancel() }
    let client = client(
      try await keys.withoutDates(), events: events, time: ShiftedClock(base: context.time, offset: offset))
    try await client.upload(sampleBytes(Self.objectSize), to: prefix + "clock/\(offset < .zero ? "slow" : "fast").bin")
    guard let correction = skews.last else {
      throw StepError.deviation("The service accepted a signature of a clock that is \(offset) wrong.")
    }
    guard (correction + offset).magnitude < .seconds(60) else {
      throw StepError.deviation(
        "The clock was corrected by \(correction), but it is \(offset) wrong; check this machine's clock.")
    }
  }

  /// Uses a URL that was valid for a second, ten minutes ago: no time passes.
  func refuseExpiredURL() async throws {
    let key = prefix + "presigned/expired.bin"
    try await client().upload(sampleBytes(Self.objectSize), to: key)
    let link = try provider.presigner.presign(
      try provider.endpoint.request(.get, bucket: provider.bucket, key: key), with: try await keys.withoutDates(),
      validFor: .seconds(1), in: SigningContext(date: context.time.now.advanced(by: .seconds(-600))))
    try await expectRefusal(as: [.requestExpired]) {
      _ = try await link.open(configuration: context.configuration(), transport: context.transport)
    }
  }
}
