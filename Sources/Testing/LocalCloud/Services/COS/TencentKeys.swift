// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageJSON

/// The JSON documents with temporary credentials that the SDKs of Tencent Cloud parse.
struct TencentKeys: KeyDocuments {
  let provider = LocalCloud.Provider.cos
  let appServerPath = "/cos/credentials"
  let metadataPaths = ["/latest/meta-data/cam/security-credentials/", "/meta-data/cam/security-credentials/"]
  let metadataToken: MetadataToken? = nil

  func appServerDocument(_ key: IssuedKey, requestID: String) -> JSONValue {
    [
      "credentials": [
        "tmpSecretId": .string(key.id), "tmpSecretKey": .string(key.secret), "sessionToken": .string(key.token),
      ],
      "startTime": .number(JSONNumber(key.start.unixSeconds)), "expiredTime": .number(JSONNumber(key.end.unixSeconds)),
      "expiration": .string(key.end.iso8601), "requestId": .string(requestID),
    ]
  }

  func appServerDocument(for error: RefusalAnswer) -> JSONValue {
    [
      "code": .number(JSONNumber(error.status.code)), "codeDesc": .string(error.code),
      "message": .string(error.message),
    ]
  }

  func metadataDocument(_ key: IssuedKey) -> JSONValue {
    [
      "TmpSecretId": .string(key.id), "TmpSecretKey": .string(key.secret), "Token": .string(key.token),
      "ExpiredTime": .number(JSONNumber(key.end.unixSeconds)), "Expiration": .string(key.end.iso8601),
      "Code": "Success",
    ]
  }
}
