// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth

/// Values that several tasks collect.
package final class Collected<Value: Sendable>: Sendable {
  private let storage = Lock<[Value]>([])

  package init() {}

  package var values: [Value] { storage.withLock { $0 } }

  package func append(_ value: Value) {
    storage.withLock { $0.append(value) }
  }
}
