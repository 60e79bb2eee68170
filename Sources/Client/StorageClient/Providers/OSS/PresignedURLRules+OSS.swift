// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension PresignedURLRules {
  /// OSS states the expiration in `x-oss-date` and `x-oss-expires` (V4) or in `Expires` (V1).
  static let oss = PresignedURLRules(
    prefixes: ["x-oss-"], names: ["expires", "ossaccesskeyid", "security-token", "signature"],
    exceptions: ["x-oss-process"], callbackNames: ["callback", "x-oss-callback"],
    expiration: { values in
      if let date = values["x-oss-date"] { return end(from: date, after: values["x-oss-expires"]) }
      return values["expires"].flatMap { Int64(digits: $0) }.map { Timestamp(unixSeconds: $0) }
    })
}
