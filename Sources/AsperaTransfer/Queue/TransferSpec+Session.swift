internal import AsperaAuth

extension TransferSpec {
  /// What the transfer is, for people and events: no path and no secret is in it.
  func subject(for account: AsperaAccount?) -> String {
    let user = account?.user ?? remoteUser
    let host = account?.host ?? remoteHost ?? "a server that the issuer names"
    return "\(direction?.rawValue ?? "transfer") aspera://\(user.map { "\($0)@" } ?? "")\(host)"
  }

  /// The transfer as an issuer may see it: with the host and the user of the account, without secrets.
  func forIssuer(of account: AsperaAccount?) -> TransferSpec {
    var visible = withoutSecrets
    visible.remoteHost = account?.host ?? remoteHost
    visible.remoteUser = account?.user ?? remoteUser
    return visible
  }
}
