// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The access key ID and session token that a call to a token service contains.
struct TokenClaim: SignatureClaim {
  let accessKeyID: AccessKeyID
  let sessionToken: Secret?

  init(_ accessKeyID: AccessKeyID, token: String?) {
    self.accessKeyID = accessKeyID
    sessionToken = token.map { Secret($0) }
  }
}
