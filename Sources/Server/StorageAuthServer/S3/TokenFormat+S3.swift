// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension TokenFormat {
  /// The response format that Amazon's SDKs read from the URL in `AWS_CONTAINER_CREDENTIALS_FULL_URI`.
  ///
  /// Its fields are `AccessKeyId`, `SecretAccessKey`, `Token` and `Expiration`. Source: "Container credential provider"
  /// in the AWS SDKs and Tools Reference Guide.
  public static let s3 = TokenFormat(
    json: { issued, _ in
      [
        "AccessKeyId": .string(issued.key.id.string), "SecretAccessKey": .string(issued.key.secret.reveal()),
        "Token": .string(issued.key.sessionToken?.reveal() ?? ""), "Expiration": .string(issued.expiration.iso8601),
      ]
    },
    refusal: { refusal, requestID in
      [
        "code": .string(refusal.code), "message": .string(refusal.message), "requestId": .string(requestID),
      ]
    })
}
