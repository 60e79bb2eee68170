public import StorageAuth
internal import StorageJSON

/// Signs the specification of a transfer: puts the account, and what was granted, into it.
///
/// What a grant says about the server counts first: its host, its user, its ports, its host key; then the account. The
/// account's credential is the only one in the signed specification, and a token of the grant the only token.
///
/// - A host key is pinned by the account, by the grant, or by the specification itself; if two of them pin different
///   keys, the transfer is refused.
/// - A password goes to the host and the user that it was given for. A grant that names another user is refused, and one
///   that names another host unless the account pins the host key.
/// - A web socket (`wss_enabled`) checks no account and no host key: with an account it is not taken from a grant, and
///   refused in a specification.
///
/// Sign a copy of the specification each time: a host key that an earlier grant pinned is not forgotten.
///
/// ```swift
/// let signed = try TransferSigner(account: account).signed(spec, with: grant, in: .now)
/// ```
public struct TransferSigner: Signer {
  /// The account; nothing where the specification or the token stands alone.
  public let account: AsperaAccount?

  /// Makes a signer.
  ///
  /// - Parameter account: Who logs in; nothing if the specification says it, or if a web socket needs nobody to.
  public init(account: AsperaAccount?) {
    self.account = account
  }

  /// Two minutes after the signing.
  ///
  /// A server looks at a token when the session has been set up, which takes as long as the connection, the login and the
  /// start of its ascp do; a transfer that runs is not cut off when its token ends. Two minutes are more than a server
  /// waits for a login.
  public func requiredValidity(from date: Timestamp) -> Timestamp { date.advanced(by: .seconds(120)) }

  /// Signs a specification.
  ///
  /// - Parameters:
  ///   - request: The specification; credentials and a host that are in it are replaced by those of the account.
  ///   - proof: What was granted. Without a token, the one in the specification stays.
  ///   - context: The time of the act.
  /// - Throws: A `SigningError` if account, grant and specification do not go together, if a token is missing, or if the
  ///   specification cannot be carried out; it is untouched then.
  public func sign(
    _ request: inout TransferSpec, with proof: TransferGrant, in context: SigningContext
  ) throws(SigningError) {
    if let end = proof.expiration, end <= context.date {
      throw .credentialEndsFirst(end, required: context.date)
    }
    do {
      var signed = request
      if let account { try signed.put(account) }
      if let answer = proof.specification { try signed.take(answer, takesWebSocket: account == nil) }
      if let account { try signed.authenticate(as: account) }
      try signed.pin(account?.hostKey, proof.specification?.sshfp)
      try signed.present(proof.token?.secret ?? proof.specification?.token, isRequired: account?.requiresToken ?? false)
      try signed.checkPlace()
      try signed.validate()
      request = signed
    } catch {
      throw SigningError(error)
    }
  }
}
