// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import COSAuth
internal import LocalCloud
internal import OSSAuth
internal import S3Auth
internal import StorageDiagnosis

// The only place of this module that lists the storage services.

extension LocalCloud.Provider {
  /// Returns the service whose signatures and error documents the diagnosis reads.
  func signedService(region: String) -> SignedService {
    switch self {
    case .oss: .oss(region: region)
    case .cos: .cos()
    case .s3: .s3(region: region)
    }
  }
}
