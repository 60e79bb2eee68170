// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth

/// The temporary key in the response of an app server, in the vendor's format.
struct TemporaryKey: Decodable {
  struct Credentials: Decodable {
    let tmpSecretId: String
    let tmpSecretKey: String
    let sessionToken: String
  }

  let credentials: Credentials
  let startTime: Int64
  let expiredTime: Int64

  var accessKey: AccessKey {
    AccessKey(
      id: credentials.tmpSecretId, secret: credentials.tmpSecretKey, sessionToken: credentials.sessionToken,
      start: Timestamp(unixSeconds: startTime), expiration: Timestamp(unixSeconds: expiredTime))
  }
}
