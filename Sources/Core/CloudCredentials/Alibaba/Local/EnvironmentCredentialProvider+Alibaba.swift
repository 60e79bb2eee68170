// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension EnvironmentCredentialProvider {
  /// A provider of access keys from OSS's environment variables.
  ///
  /// The variables are `OSS_ACCESS_KEY_ID`, `OSS_ACCESS_KEY_SECRET` and, for a temporary key, `OSS_SESSION_TOKEN`.
  public static let oss = EnvironmentCredentialProvider(
    id: "OSS_ACCESS_KEY_ID", secret: "OSS_ACCESS_KEY_SECRET", tokens: ["OSS_SESSION_TOKEN"])

  /// A provider of access keys from Alibaba Cloud's environment variables.
  ///
  /// The variables are `ALIBABA_CLOUD_ACCESS_KEY_ID`, `ALIBABA_CLOUD_ACCESS_KEY_SECRET` and, for a temporary key,
  /// `ALIBABA_CLOUD_SECURITY_TOKEN`.
  public static let alibabaCloud = EnvironmentCredentialProvider(
    id: "ALIBABA_CLOUD_ACCESS_KEY_ID", secret: "ALIBABA_CLOUD_ACCESS_KEY_SECRET",
    tokens: ["ALIBABA_CLOUD_SECURITY_TOKEN"])
}
