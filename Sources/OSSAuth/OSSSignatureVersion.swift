/// A version of the OSS signature.
public enum OSSSignatureVersion: String, Sendable, Hashable, CaseIterable {
  /// HMAC-SHA-256 with a key derived for a day, a region and a product; the version to use.
  case v4
  /// HMAC-SHA-1; refused for new accounts and new buckets since 2025, kept for the others.
  case v1
}
