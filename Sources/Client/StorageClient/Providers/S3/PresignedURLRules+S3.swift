// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension PresignedURLRules {
  /// S3 states the expiration in `X-Amz-Date` and `X-Amz-Expires`.
  static let s3 = PresignedURLRules(
    prefixes: ["x-amz-"], names: [],
    expiration: { end(from: $0["x-amz-date"], after: $0["x-amz-expires"]) })
}
