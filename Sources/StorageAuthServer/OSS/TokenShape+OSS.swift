internal import StorageJSON

extension TokenShape {
  /// The form that the SDKs of Alibaba Cloud OSS read from `distribute-token.json`: `StatusCode`, `AccessKeyId`,
  /// `AccessKeySecret`, `SecurityToken`, `Expiration`.
  public static let oss = TokenShape(
    document: { vended, requestID in
      let value: JSONValue = [
        "StatusCode": 200, "AccessKeyId": .text(vended.key.id.string),
        "AccessKeySecret": .text(vended.key.secret.reveal()),
        "SecurityToken": .text(vended.key.sessionToken?.reveal() ?? ""), "Expiration": .text(vended.expiration.iso8601),
        "RequestId": .text(requestID),
      ]
      return value.serialized
    },
    refusal: { refusal, requestID in
      let value: JSONValue = [
        "StatusCode": .number(JSONNumber(refusal.status.code)), "ErrorCode": .text(refusal.code),
        "ErrorMessage": .text(refusal.message), "RequestId": .text(requestID),
      ]
      return value.serialized
    })
}
