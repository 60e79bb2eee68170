// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageJSON

/// The JSON documents with temporary credentials that the SDKs of Amazon Web Services parse.
///
/// The container credentials endpoint corresponds to the app server. Pages: "Container credential provider", "IMDS
/// credential provider".
struct AmazonKeys: KeyDocuments {
  let provider = LocalCloud.Provider.s3
  let appServerPath = "/s3/container-credentials"
  let authorizationPrefixes = ["Bearer ", ""]
  let metadataPaths = ["/latest/meta-data/iam/security-credentials/"]
  let metadataToken: MetadataToken? = MetadataToken(
    lifeHeader: "x-aws-ec2-metadata-token-ttl-seconds", header: "x-aws-ec2-metadata-token", refusal: .unauthorized)

  func appServerDocument(_ key: IssuedKey, requestID: String) -> JSONValue {
    [
      "AccessKeyId": .string(key.id), "SecretAccessKey": .string(key.secret), "Token": .string(key.token),
      "Expiration": .string(key.end.iso8601),
    ]
  }

  func appServerDocument(for error: RefusalAnswer) -> JSONValue {
    ["code": .string(error.code), "message": .string(error.message)]
  }

  func metadataDocument(_ key: IssuedKey) -> JSONValue {
    [
      "Code": "Success", "LastUpdated": .string(key.start.iso8601), "Type": "AWS-HMAC", "AccessKeyId": .string(key.id),
      "SecretAccessKey": .string(key.secret), "Token": .string(key.token), "Expiration": .string(key.end.iso8601),
    ]
  }
}
