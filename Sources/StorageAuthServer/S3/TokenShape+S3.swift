internal import StorageJSON

extension TokenShape {
  /// The form that the SDKs of Amazon read from the address in `AWS_CONTAINER_CREDENTIALS_FULL_URI`: `AccessKeyId`,
  /// `SecretAccessKey`, `Token`, `Expiration`.
  ///
  /// Page: "Container credential provider".
  public static let s3 = TokenShape(
    document: { vended, _ in
      let value: JSONValue = [
        "AccessKeyId": .text(vended.key.id.string), "SecretAccessKey": .text(vended.key.secret.reveal()),
        "Token": .text(vended.key.sessionToken?.reveal() ?? ""), "Expiration": .text(vended.expiration.iso8601),
      ]
      return value.serialized
    },
    refusal: { refusal, requestID in
      let value: JSONValue = [
        "code": .text(refusal.code), "message": .text(refusal.message), "requestId": .text(requestID),
      ]
      return value.serialized
    })
}
