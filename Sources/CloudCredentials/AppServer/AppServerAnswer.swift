internal import StorageAuth
internal import StorageJSON

/// What an app server answered.
struct AppServerAnswer {
  let source: String
  let answer: ServiceAnswer

  var reader: AnswerReader {
    AnswerReader(
      source: source, remedy: "Compare what the server answers with the shapes in Documentation/CredentialServices.md.")
  }

  /// The key in the answer.
  func issued(as shape: AppServerShape) throws(CredentialError) -> IssuedCredential<AccessKey> {
    guard answer.isSuccess else { throw refusal }
    switch shape.kind {
    case .oss: return try oss(try reader.object(answer))
    case .cos: return try cos(try reader.object(answer))
    case .automatic:
      let object = try reader.object(answer)
      let isOSS = object.first(["StatusCode", "AccessKeyId", "AccessKeySecret", "ErrorCode"]) != nil
      return isOSS ? try oss(object) : try cos(object)
    case .custom(let decode):
      do {
        return try reader.issued(try decode(answer.body), at: answer.issuerTime)
      } catch let error as CredentialError {
        throw error
      } catch {
        throw reader.malformed("The app's decoder threw \(type(of: error)).")
      }
    }
  }

  /// The error for a status that is none of success.
  private var refusal: CredentialError {
    let object = answer.object ?? JSONObject()
    let refusal = ossRefusal(object) ?? cosRefusal(object)
    let isLogin = answer.status == 401 || answer.status == 403
    let fallback =
      isLogin
      ? "Log in again, so that the app's requests are accepted."
      : "Check the address, and the request that the app makes."
    return RefusalRules.none.error(for: answer, refusal, source: source, fallback: fallback)
  }

  /// The error for a refusal that the server wrote into a body.
  func rejected(_ refusal: ServiceRefusal) -> CredentialError {
    RefusalRules.none.error(for: answer, refusal, source: source, fallback: "See the server's log.")
  }

  // MARK: OSS

  private func oss(_ object: JSONObject) throws(CredentialError) -> IssuedCredential<AccessKey> {
    if let refusal = ossRefusal(object) { throw rejected(refusal) }
    let id = try reader.text(["AccessKeyId"], in: object)
    let secret = try reader.text(["AccessKeySecret"], in: object)
    let token = try reader.text(["SecurityToken"], in: object)
    guard let end = try reader.instant(["Expiration"], in: [object]) else {
      throw reader.malformed("The answer has no field Expiration.")
    }
    return try reader.issued(id: id, secret: secret, token: token, expiration: end, at: answer.issuerTime)
  }

  private func ossRefusal(_ object: JSONObject) -> ServiceRefusal? {
    let status = object["StatusCode"]?.code
    let code = object["ErrorCode"]?.code
    if status == "200" || status == nil && code == nil { return nil }
    return ServiceRefusal(
      code: code ?? "StatusCode \(status ?? "")", message: object["ErrorMessage"]?.text ?? "")
  }
}

extension RefusalRules {
  /// The codes of an app server are its own.
  static let none = RefusalRules(clock: [], passing: [], remedies: [])
}
