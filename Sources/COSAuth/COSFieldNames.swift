package import HTTPTypes
internal import StorageAuth

extension HTTPField.Name {
  package static let cosSecurityToken = known("x-cos-security-token")
  package static let ciSecurityToken = known("x-ci-security-token")
}
