// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
public import AsperaTransfer
internal import StorageAuth

/// The result of a login test, which checks whether a server accepts an account.
public enum AscpLogin: Sendable, Hashable {
  /// The server accepts the account, but may still require a token for a transfer.
  case accepted
  /// The login failed or was not completed, for the given reason.
  case refused(TransferFailure)
}

extension AscpEngine {
  /// Tests whether the server accepts an account, without a transfer and without a token.
  ///
  /// ascp connects, checks the host key if the account pins one, logs in, and exits. The only explanation of a failed
  /// login is the text that ascp prints.
  ///
  /// - Parameter account: The account to log in with.
  /// - Returns: The result of the login, which is `.refused` also without a response in time, or if it was cancelled.
  public func testLogin(_ account: AsperaAccount) async -> AscpLogin {
    do throws(AsperaError) {
      let command = try AscpCommand.testLogin(try account.loginSpecification(), options: startOptions)
      let invocation = try AscpInvocation(command, in: temporaryFiles)
      defer { invocation.removeFiles() }
      let ran = await runWithoutPort(makeProcess(invocation.arguments, invocation.environment))
      let printed = SecretMask(invocation.environment.values).applied(to: ran.printed)
      switch ran.ending {
      case .exited(0): return .accepted
      case .notStarted(let reason): return .refused(.notStarted(reason))
      case .killed where Task.isCancelled: return .refused(.cancelled)
      case .killed: return .refused(.noAnswer(within: limits.login, printed: printed))
      case .exited, .signalled: return .refused(.ended(ran.ending, printed: printed))
      }
    } catch {
      return .refused(TransferFailure(unusable: error))
    }
  }
}

extension AsperaAccount {
  /// Returns a signed specification for a login, without a token even if the account's transfers require one.
  fileprivate func loginSpecification() throws(AsperaError) -> TransferSpec {
    let (password, key): (Secret?, AsperaPrivateKey?) =
      switch authentication {
      case .password(let password): (password, nil)
      case .privateKey(let key): (nil, key)
      }
    let account = try AsperaAccount(
      host: host, user: user, password: password, privateKey: key, sshPort: sshPort, udpPort: udpPort, hostKey: hostKey)
    do {
      return try TransferSigner(account: account).signed(
        TransferSpec(.send, []), with: TransferCredential(token: nil), in: .now)
    } catch {
      throw AsperaError(.invalidAccount, error.message, remedy: error.remedy)
    }
  }
}
