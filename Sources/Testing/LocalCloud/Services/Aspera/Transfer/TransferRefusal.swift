// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// An error with which the simulated transfer server refuses a call or ends a session.
struct TransferRefusal: Error {
  // The ascp error codes of the server's own errors, named as in `AscpErrorCode`.
  static let unknownCode = 0
  static let faspProtocolCode = 1
  static let noSuchFileCode = 4
  static let notFolderCode = 6
  static let isFolderCode = 7
  static let connectionLostCode = 16
  static let authenticationCode = 19
  static let tooManyFilesCode = 23
  static let canceledCode = 28
  static let unauthorizedCode = 34
  static let diskWriteCode = 36
  static let authorizationCode = 37
  static let badPathCode = 41
  static let alreadyExistsCode = 42
  static let linkLoopCode = 63

  /// The ascp error code.
  let code: Int
  let text: String
  /// Whether the error is injected, so that it is not counted as a real error response.
  private(set) var isInjected = false

  init(_ code: Int, _ text: String) {
    self.code = code
    self.text = text
  }

  init(_ problem: FileProblem) { self.init(problem.ascpCode, problem.message) }

  init(_ fault: LocalCloud.TransferFault) {
    let name = AscpErrorCode(fault.code)?.name ?? "\(fault.code)"
    self.init(fault.code, fault.text ?? "The server ended the session: \(name), as fault injection requested")
    isInjected = true
  }

  /// The error for a failed login, which does not reveal the reason, as in SSH.
  static let failedLogin = TransferRefusal(authenticationCode, "failed to authenticate")
  /// The error for a call that is invalid or out of order, which `ascp-simulator` never sends.
  static let protocolError = TransferRefusal(faspProtocolCode, "The transfer server does not understand the call")
  static let clientLost = TransferRefusal(connectionLostCode, "The client has ended, or does not respond")
  static let canceled = TransferRefusal(canceledCode, "The session was canceled by a call of the Node API")

  var document: JSONValue { ["error": ["code": .integer(code), "description": .string(text)]] }
}
