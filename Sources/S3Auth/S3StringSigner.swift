internal import HTTPTypes
public import StorageAuth
internal import StorageCrypto

extension SignatureScheme {
  /// Amazon S3 with Signature Version 4.
  public static let s3V4 = SignatureScheme(service: "s3", version: "v4")
}

extension RequestVocabulary {
  /// The names of S3.
  static let s3 = RequestVocabulary(
    headerPrefix: "x-amz-",
    harmlessHeaders: [
      "date", "content-sha256", "security-token", "storage-class", "server-side-encryption", "decoded-content-length",
      "trailer", "sdk-checksum-algorithm", "checksum-mode", "checksum-crc32", "checksum-crc32c", "checksum-crc64nvme",
      "checksum-sha1", "checksum-sha256", "expected-bucket-owner",
    ])
}
