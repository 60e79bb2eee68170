// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension EnvironmentCredentialProvider {
  /// The provider of keys from OSS's variables: `OSS_ACCESS_KEY_ID`, `OSS_ACCESS_KEY_SECRET` and, for a temporary key,
  /// `OSS_SESSION_TOKEN`.
  public static let oss = EnvironmentCredentialProvider(
    id: "OSS_ACCESS_KEY_ID", secret: "OSS_ACCESS_KEY_SECRET", tokens: ["OSS_SESSION_TOKEN"])

  /// The provider of keys from Alibaba Cloud's variables: `ALIBABA_CLOUD_ACCESS_KEY_ID`,
  /// `ALIBABA_CLOUD_ACCESS_KEY_SECRET` and, for a temporary key, `ALIBABA_CLOUD_SECURITY_TOKEN`.
  public static let alibabaCloud = EnvironmentCredentialProvider(
    id: "ALIBABA_CLOUD_ACCESS_KEY_ID", secret: "ALIBABA_CLOUD_ACCESS_KEY_SECRET",
    tokens: ["ALIBABA_CLOUD_SECURITY_TOKEN"])
}
