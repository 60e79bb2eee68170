// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension Timestamp {
  /// The time in the format of the services' documents, such as `2026-11-20T08:00:00.000Z`.
  ///
  /// The milliseconds are always zero: the vendors' SDKs reject a fraction in any other format.
  var iso8601Milliseconds: String { iso8601.dropLast() + ".000Z" }
}
