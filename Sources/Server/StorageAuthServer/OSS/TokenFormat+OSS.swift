// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension TokenFormat {
  /// The response format that the SDKs of Alibaba Cloud OSS read from `distribute-token.json`.
  ///
  /// Its fields are `StatusCode`, `AccessKeyId`, `AccessKeySecret`, `SecurityToken` and `Expiration`.
  public static let oss = TokenFormat(
    document: { vended, requestID in
      let value: JSONValue = [
        "StatusCode": 200, "AccessKeyId": .string(vended.key.id.string),
        "AccessKeySecret": .string(vended.key.secret.reveal()),
        "SecurityToken": .string(vended.key.sessionToken?.reveal() ?? ""),
        "Expiration": .string(vended.expiration.iso8601),
        "RequestId": .string(requestID),
      ]
      return value.serialized
    },
    refusal: { refusal, requestID in
      let value: JSONValue = [
        "StatusCode": .number(JSONNumber(refusal.status.code)), "ErrorCode": .string(refusal.code),
        "ErrorMessage": .string(refusal.message), "RequestId": .string(requestID),
      ]
      return value.serialized
    })
}
