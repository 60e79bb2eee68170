extension LocalCloud {
  /// A scheme of signatures.
  public enum SignatureKind: String, Sendable, Hashable, CaseIterable {
    /// OSS version 4, HMAC-SHA-256.
    case ossV4 = "OSS V4"
    /// OSS version 1, HMAC-SHA-1.
    case ossV1 = "OSS V1"
    /// COS version 5, HMAC-SHA-1.
    case cosV5 = "COS V5"
    /// S3 version 4, HMAC-SHA-256.
    case s3V4 = "S3 V4"
    /// Alibaba Cloud's ACS3-HMAC-SHA256.
    case acs3 = "ACS3"
    /// Alibaba Cloud's RPC, HMAC-SHA-1 among the parameters.
    case alibabaRPC = "Alibaba RPC"
    /// Tencent Cloud's TC3-HMAC-SHA256.
    case tc3 = "TC3"
    /// Tencent Cloud's version 1, HMAC-SHA-1 or HMAC-SHA-256 among the parameters.
    case tencentV1 = "Tencent V1"
  }
}
