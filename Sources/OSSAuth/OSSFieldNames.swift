package import HTTPTypes
internal import StorageAuth

extension HTTPField.Name {
  package static let ossDate = known("x-oss-date")
  package static let ossContentSHA256 = known("x-oss-content-sha256")
  package static let ossError = known("x-oss-err")
  package static let ossSecurityToken = known("x-oss-security-token")
}

/// Fixed texts of the OSS signatures.
enum OSSText {
  static let v4Algorithm: StaticString = "OSS4-HMAC-SHA256"
  static let v4Request: StaticString = "aliyun_v4_request"
  static let unsignedPayload: StaticString = "UNSIGNED-PAYLOAD"
  static let unsignedPayloadField = HTTPField(name: .ossContentSHA256, value: "UNSIGNED-PAYLOAD")
}
