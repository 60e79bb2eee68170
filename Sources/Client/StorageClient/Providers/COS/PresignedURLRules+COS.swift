// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension PresignedURLRules {
  /// COS states the expiration as the second time of `q-sign-time`.
  static let cos = PresignedURLRules(
    prefixes: ["q-", "x-cos-"], names: [],
    expiration: { values in
      let times = values["q-sign-time"]?.replacing("%3B", with: ";").split(separator: ";")
      return times?.last.flatMap { Int64(digits: $0) }.map { Timestamp(unixSeconds: $0) }
    })
}
