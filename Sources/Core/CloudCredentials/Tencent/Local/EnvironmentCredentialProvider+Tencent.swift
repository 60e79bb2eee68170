// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension EnvironmentCredentialProvider {
  /// A provider of access keys from Tencent Cloud's environment variables.
  ///
  /// The variables are `TENCENTCLOUD_SECRET_ID`, `TENCENTCLOUD_SECRET_KEY` and, for a temporary key,
  /// `TENCENTCLOUD_TOKEN` or `TENCENTCLOUD_SESSION_TOKEN`.
  public static let cos = EnvironmentCredentialProvider(
    id: "TENCENTCLOUD_SECRET_ID", secret: "TENCENTCLOUD_SECRET_KEY",
    tokens: ["TENCENTCLOUD_TOKEN", "TENCENTCLOUD_SESSION_TOKEN"])
}
