// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension Timestamp {
  /// The time in the format of the services' documents, such as `2026-11-20T08:00:00.000Z`.
  ///
  /// The milliseconds are always zero, but must be present, because the vendors' SDKs reject any other format of the
  /// fraction.
  var iso8601Milliseconds: String { iso8601.dropLast() + ".000Z" }
}
