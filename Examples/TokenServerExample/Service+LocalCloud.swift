// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeyServer
import LocalCloud
import StorageClient

extension Service: ExpressibleByArgument {
  /// Returns a client of the app's bucket in LocalCloud.
  func client(_ keys: CredentialCache<AccessKey>, _ cloud: LocalCloud) -> any ObjectStore {
    switch self {
    case .oss:
      StorageClient(.oss(bucket: bucket, region: "cn-hangzhou", endpoint: cloud.ossEndpoint), credentials: keys)
    case .cos:
      StorageClient(.cos(bucket: bucket, region: "ap-guangzhou", endpoint: cloud.cosEndpoint), credentials: keys)
    case .s3: StorageClient(.s3(bucket: bucket, region: "us-east-1", endpoint: cloud.s3Endpoint), credentials: keys)
    }
  }
}
