// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import COSAuth
internal import OSSAuth
internal import S3Auth
internal import StorageAuth

extension ParameterNames {
  /// The reserved prefixes of query parameter names.
  ///
  /// They are reserved by the simulated services, or by related services whose clients may send requests to this
  /// server.
  static let ownedPrefixes =
    [ServiceDescription.oss, .cos, .s3].map(\.headerPrefix) + ["x-ci-", "x-obs-", "x-image-", "ci-"]

  /// The query parameter names in the source code of the vendors' SDKs.
  static let names = ParameterCatalog.names
}
