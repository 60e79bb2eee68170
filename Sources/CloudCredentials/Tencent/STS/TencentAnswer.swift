internal import StorageAuth
internal import StorageJSON

extension RefusalRules {
  /// The codes of Tencent Cloud's STS.
  static let tencent = RefusalRules(
    clock: ["AuthFailure.SignatureExpire"],
    passing: ["RequestLimitExceeded", "InternalError", "LimitExceeded.Frequency"],
    remedies: [
      ("AuthFailure.SignatureExpire", "Set this machine's clock."),
      ("AuthFailure.SignatureFailure", "Check the secret of the key that asks; a blank at its end is the usual cause."),
      ("AuthFailure.SecretIdNotFound", "Check the id of the key that asks."),
      ("AuthFailure.InvalidSecretId", "Check the id of the key that asks."),
      ("AuthFailure.TokenFailure", "Get a new temporary key to ask with."),
      ("AuthFailure.UnauthorizedOperation", "Let the caller's policies allow the call, and the role trust the caller."),
      ("UnauthorizedOperation", "Let the caller's policies allow the call, and the role trust the caller."),
      ("ResourceNotFound", "Check the name of the role."),
      ("InvalidParameter", "Check the parameter that the message names."),
    ])
}

extension ServiceAnswer {
  /// What Tencent Cloud's services say when they refuse, with a status of success.
  var tencentRefusal: ServiceRefusal? {
    guard let response = object?["Response"]?.object, let error = response["Error"]?.object else { return nil }
    return ServiceRefusal(
      code: error["Code"]?.code ?? "Error", message: error["Message"]?.string ?? "",
      requestID: response["RequestId"]?.string)
  }
}

extension AnswerReader {
  static func tencentSTS(_ source: String) -> AnswerReader {
    AnswerReader(source: source, remedy: "Check that the endpoint is the vendor's; a proxy may answer in its place.")
  }

  /// The key in an answer of STS.
  func tencentRoleKey(in answer: ServiceAnswer) throws(CredentialError) -> IssuedCredential<AccessKey> {
    guard let response = try object(answer)["Response"]?.object else {
      throw malformed("The answer has no object Response.")
    }
    guard let fields = response["Credentials"]?.object else {
      throw malformed("The answer has no object Credentials inside Response.")
    }
    return try tencentKey(in: fields, times: [response], at: answer.issuerTime)
  }

  /// The fields of a temporary key, as Tencent Cloud's STS and metadata write them.
  func tencentKey(
    in fields: JSONObject, times: [JSONObject], at issuerTime: Timestamp?
  ) throws(CredentialError) -> IssuedCredential<AccessKey> {
    let id = try text(["TmpSecretId"], in: fields)
    let secret = try text(["TmpSecretKey"], in: fields)
    let token = try text(["Token"], in: fields)
    guard let end = try instant(["ExpiredTime", "Expiration"], in: times) else {
      throw malformed("The answer has no field ExpiredTime or Expiration.")
    }
    return try issued(id: id, secret: secret, token: token, expiration: end, at: issuerTime)
  }
}
