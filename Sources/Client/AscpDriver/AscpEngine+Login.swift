// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
internal import AsperaTransfer
internal import StorageAuth

extension AscpEngine {
  /// Tests whether the server accepts an account, without a transfer and without a token.
  ///
  /// ascp connects, checks the host key if the account pins one, logs in, and exits. The only explanation of a failed
  /// login is the text that ascp prints.
  ///
  /// - Parameter account: The account to log in with.
  /// - Returns: The result of the login. `.refused` also means that there was no response in time, or that the task was
  ///   cancelled.
  public func testLogin(_ account: AsperaAccount) async -> AscpLogin {
    do throws(AsperaError) {
      let command = try AscpCommand.testLogin(try account.loginSpecification(), options: startOptions)
      let invocation = try AscpInvocation(command, in: temporaryFiles)
      defer { invocation.removeFiles() }
      let ran = await run(process(invocation))
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

  /// Runs an ascp process without a management port, and kills the process after the time limit for a login.
  func run(_ process: AscpProcess) async -> (ending: AscpProcess.Ending, printed: String) {
    await withTaskGroup(of: (ending: AscpProcess.Ending, printed: String)?.self) { group in
      group.addTask { await process.run() }
      group.addTask { [time, limits] in
        try? await time.sleep(for: limits.login)
        return nil
      }
      // The task that ends first cancels the other task. The program has ended when the task group has ended.
      var result: (ending: AscpProcess.Ending, printed: String)?
      for await ended in group {
        group.cancelAll()
        result = result ?? ended
      }
      return result ?? (.killed, "")
    }
  }
}

extension AsperaAccount {
  /// Returns a transfer specification that can only be used to log in, signed with the account's credential.
  ///
  /// It contains no token, even if the account's transfers require one.
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
        TransferSpec(.send, []), with: TransferGrant(token: nil), in: .now)
    } catch {
      throw AsperaError(.invalidAccount, error.message, remedy: error.remedy)
    }
  }
}
