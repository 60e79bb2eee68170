/// How long a credential that has just arrived goes on living.
enum CredentialLife: Equatable {
  /// It does not end, or nobody here can tell when.
  case open
  /// It ends after a duration, counted from now without looking at the wall clock again.
  case ends(after: Duration)
  /// Its issuer itself says that it has ended.
  case over

  /// Judges a credential.
  ///
  /// The issuer's clock decides where it is known. A clock of this machine that says that the credential is not valid
  /// yet cannot be right, for it was issued; then the whole stretch from start to end is taken. If this clock alone says
  /// that the credential has ended, nobody knows: it is used, and the service decides.
  ///
  /// - Parameters:
  ///   - credential: The credential.
  ///   - issuerTime: What the issuer's clock said with it.
  ///   - wallClock: What the wall clock of this machine says.
  init(of credential: some Credential, issuerTime: Timestamp?, wallClock: Timestamp) {
    guard let expiration = credential.expiration else {
      self = .open
      return
    }
    if let issuerTime {
      self = expiration > issuerTime ? .ends(after: issuerTime.duration(to: expiration)) : .over
    } else if let start = credential.start, start >= expiration {
      self = .over
    } else if let start = credential.start, !(start..<expiration).contains(wallClock) {
      self = .ends(after: start.duration(to: expiration))
    } else {
      self = expiration > wallClock ? .ends(after: wallClock.duration(to: expiration)) : .open
    }
  }
}
