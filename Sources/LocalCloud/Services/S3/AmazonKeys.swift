internal import HTTPTypes
internal import StorageAuth
internal import StorageJSON

/// Keys in the shapes that the SDKs of Amazon Web Services read: the container endpoint stands for the app server.
///
/// Pages: "Container credential provider", "IMDS credential provider".
struct AmazonKeys: KeyDocuments {
  let provider = LocalCloud.Provider.s3
  let appServerPath = "/s3/container-credentials"
  let authorizationPrefixes = ["Bearer ", ""]
  let metadataPaths = ["/latest/meta-data/iam/security-credentials/"]
  let metadataToken: MetadataToken? = MetadataToken(
    lifeHeader: "x-aws-ec2-metadata-token-ttl-seconds", header: "x-aws-ec2-metadata-token", refusal: .unauthorized)

  func appServerDocument(_ key: IssuedKey, requestID: String) -> JSONValue {
    [
      "AccessKeyId": .text(key.id), "SecretAccessKey": .text(key.secret), "Token": .text(key.token),
      "Expiration": .text(key.end.iso8601),
    ]
  }

  func appServerDocument(for error: RefusalAnswer) -> JSONValue {
    ["code": .text(error.code), "message": .text(error.message)]
  }

  func metadataDocument(_ key: IssuedKey) -> JSONValue {
    [
      "Code": "Success", "LastUpdated": .text(key.start.iso8601), "Type": "AWS-HMAC", "AccessKeyId": .text(key.id),
      "SecretAccessKey": .text(key.secret), "Token": .text(key.token), "Expiration": .text(key.end.iso8601),
    ]
  }
}
