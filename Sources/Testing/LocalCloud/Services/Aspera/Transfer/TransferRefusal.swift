// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

struct TransferRefusal: Error {
  let code: Int
  let text: String
  /// Whether the error is injected, so that it is not counted as a real error response.
  private(set) var isInjected = false

  init(_ code: Int, _ text: String) {
    self.code = code
    self.text = text
  }

  init(_ problem: FileProblem) {
    switch problem {
    case .notFound: code = 4
    case .isNoFolder: code = 6
    case .isFolder: code = 7
    case .isRoot, .tooLong: code = 41
    case .exists, .notEmpty: code = 42
    }
    text = problem.message
  }

  init(_ fault: LocalCloud.TransferFault) {
    let name = AscpErrorCode(fault.code)?.name ?? "\(fault.code)"
    self.init(fault.code, fault.text ?? "The server ended the session: \(name), as fault injection requested")
    isInjected = true
  }

  /// The error for a failed login, which does not reveal the reason, as in SSH.
  static let account = TransferRefusal(19, "failed to authenticate")

  /// The error for a call that is invalid or out of order, which `ascp-simulator` never sends.
  static let protocolError = TransferRefusal(1, "The transfer desk does not understand the call")

  static let canceled = TransferRefusal(28, "The session was canceled by a call of the Node API")

  var document: JSONValue { ["error": ["code": .number(JSONNumber(code)), "description": .string(text)]] }
}
