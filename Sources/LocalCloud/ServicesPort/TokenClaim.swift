internal import StorageAuth

/// What a call of a token service says about who makes it.
struct TokenClaim: SignatureClaim {
  let accessKeyID: AccessKeyID
  let sessionToken: Secret?

  init(_ accessKeyID: AccessKeyID, token: String?) {
    self.accessKeyID = accessKeyID
    sessionToken = token.map { Secret($0) }
  }
}
