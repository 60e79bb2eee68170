// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuthTesting
internal import StorageClient

/// A task that repeatedly uploads an object, downloads it or an earlier one, and compares the bytes.
struct Worker: Sendable {
  let name: String
  let store: Store
  let seed: UInt64
  let tick: @Sendable () -> Void

  /// Transfers a number of objects and records each in a tally.
  func move(_ count: Int, _ tally: Tally) async {
    var random = SeededGenerator(seed: seed)
    for number in 0..<count {
      let sizes = number % 10 == 9 ? 200_000...500_000 : 0...60_000
      let object = MovedObject(
        key: "\(name)/\(number).bin", seed: random.next(), size: .random(in: sizes, using: &random))
      await move(object, tally)
      tick()
    }
  }

  private func move(_ object: MovedObject, _ tally: Tally) async {
    do {
      let bytes = object.bytes
      let stored = try await store.client.upload(bytes, to: object.key)
      guard let checksum = stored.checksum else { return tally.failed("\(object.key): the response has no checksum") }
      tally.uploaded(object, checksum, by: store)
      let found = try await store.client.download(object.key, upTo: bytes.count + 1, options: DownloadOptions())
      if found == bytes { tally.downloaded(found.count) } else { tally.failed("\(object.key): other bytes came back") }
    } catch {
      tally.failed("\(object.key): \(error)")
    }
  }
}

/// An object that a worker transfers; its bytes are generated from its seed.
struct MovedObject: Sendable {
  let key: String
  let seed: UInt64
  let size: Int

  var bytes: [UInt8] {
    var random = SeededGenerator(seed: seed)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size + 8)
    while bytes.count < size {
      let word = random.next()
      for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
    }
    return Array(bytes.prefix(size))
  }
}
