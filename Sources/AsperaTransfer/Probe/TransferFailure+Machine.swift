internal import AsperaAuth

extension TransferFailure {
  /// What is wrong with an account, or with what this machine has to offer for a check of it.
  init(uncheckable error: AsperaError) {
    let isAccount = ![.failed, .toolNotFound].contains(error.code)
    self.init(isAccount ? .account : .caller, error.message, remedy: error.remedy)
  }

  /// The check of an account was cancelled.
  static let checkCancelled = TransferFailure(.cancelled, "The check was cancelled.", remedy: "Start it again.")

  /// A program of OpenSSH is not there.
  static func noSuchProgram(_ program: String) -> TransferFailure {
    TransferFailure(
      .caller, "The program \(program) is not on this machine, or cannot be started.",
      remedy: "Install OpenSSH's client (Debian: openssh-client) and see that it is in PATH.")
  }
}
