// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageJSON

/// The JSON documents with temporary credentials that the SDKs of Alibaba Cloud parse.
struct AlibabaKeys: KeyDocuments {
  let provider = LocalCloud.Provider.oss
  let appServerPath = "/oss/distribute-token.json"
  let metadataPaths = ["/latest/meta-data/ram/security-credentials/"]
  let metadataToken: MetadataToken? = MetadataToken(
    lifeHeader: "x-aliyun-ecs-metadata-token-ttl-seconds", header: "x-aliyun-ecs-metadata-token")

  func appServerDocument(_ key: IssuedKey, requestID: String) -> JSONValue {
    [
      "StatusCode": 200, "AccessKeyId": .string(key.id), "AccessKeySecret": .string(key.secret),
      "SecurityToken": .string(key.token), "Expiration": .string(key.end.iso8601),
    ]
  }

  func appServerDocument(for error: RefusalAnswer) -> JSONValue {
    [
      "StatusCode": .number(JSONNumber(error.status.code)), "ErrorCode": .string(error.code),
      "ErrorMessage": .string(error.message),
    ]
  }

  func metadataDocument(_ key: IssuedKey) -> JSONValue {
    [
      "AccessKeyId": .string(key.id), "AccessKeySecret": .string(key.secret), "SecurityToken": .string(key.token),
      "Expiration": .string(key.end.iso8601), "LastUpdated": .string(key.start.iso8601), "Code": "Success",
    ]
  }
}
