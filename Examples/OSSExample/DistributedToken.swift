// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import StorageAuth
import StorageClient

/// The temporary key in the response of an app server (`distribute-token.json`).
struct DistributedToken: Decodable {
  let id: String
  let secret: String
  let token: String
  let end: Date

  enum CodingKeys: String, CodingKey {
    case id = "AccessKeyId"
    case secret = "AccessKeySecret"
    case token = "SecurityToken"
    case end = "Expiration"
  }

  var accessKey: AccessKey {
    AccessKey(id: id, secret: secret, sessionToken: token, expiration: Timestamp(end))
  }
}
