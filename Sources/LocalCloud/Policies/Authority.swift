/// What the holder of a key may do at most.
enum Authority: Sendable {
  /// Nothing: nobody signed.
  case nothing
  /// Everything that the account may do.
  case everything
  /// What the policy allows that the key was asked for with.
  case session(SessionPolicy)

  func allows(_ question: PolicyQuestion) -> Bool {
    switch self {
    case .nothing: false
    case .everything: true
    case .session(let policy): policy.allows(question)
    }
  }
}
