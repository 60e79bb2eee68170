// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension LocalCloud {
  /// A signature scheme.
  public enum SignatureKind: String, Sendable, Hashable, CaseIterable {
    /// OSS version 4, HMAC-SHA-256.
    case ossV4 = "OSS V4"
    /// OSS version 1, HMAC-SHA-1.
    case ossV1 = "OSS V1"
    /// COS version 5, HMAC-SHA-1.
    case cosV5 = "COS V5"
    /// S3 version 4, HMAC-SHA-256.
    case s3V4 = "S3 V4"
    /// ACS3-HMAC-SHA256 of Alibaba Cloud.
    case acs3 = "ACS3"
    /// The RPC signature of Alibaba Cloud: HMAC-SHA-1, in a parameter.
    case alibabaRPC = "Alibaba RPC"
    /// TC3-HMAC-SHA256 of Tencent Cloud.
    case tc3 = "TC3"
    /// Version 1 of Tencent Cloud: HMAC-SHA-1 or HMAC-SHA-256, in a parameter.
    case tencentV1 = "Tencent V1"
  }
}
