// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension LocalCloud {
  /// A signature scheme that the local server verifies.
  public enum SignatureKind: String, Sendable, Hashable, CaseIterable {
    /// The signature version 4 of OSS, which uses HMAC-SHA-256.
    case ossV4 = "OSS V4"
    /// The signature version 1 of OSS, which uses HMAC-SHA-1.
    case ossV1 = "OSS V1"
    /// The signature version 5 of COS, which uses HMAC-SHA-1.
    case cosV5 = "COS V5"
    /// The signature version 4 of S3, which uses HMAC-SHA-256.
    case s3V4 = "S3 V4"
    /// The signature scheme of Alibaba Cloud APIs, ACS3-HMAC-SHA256.
    case acs3 = "ACS3"
    /// The RPC signature scheme of Alibaba Cloud APIs, which uses HMAC-SHA-1 and a request parameter for the signature.
    case alibabaRPC = "Alibaba RPC"
    /// The signature scheme of Tencent Cloud APIs, TC3-HMAC-SHA256.
    case tc3 = "TC3"
    /// The signature version 1 of Tencent Cloud APIs.
    ///
    /// It uses HMAC-SHA-1 or HMAC-SHA-256, and a request parameter for the signature.
    case tencentV1 = "Tencent V1"
  }
}
