// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// An error with which the simulated transfer server refuses a call or ends a session.
struct TransferRefusal: Error {
  /// The ascp error codes that the server itself sends; ``AscpErrorCode`` has their names in Aspera's tools.
  enum Code: Int {
    case unknown = 0
    case faspProtocol = 1
    case noSuchFile = 4
    case notFolder = 6
    case isFolder = 7
    case connectionLost = 16
    case failedLogin = 19
    case tooManyFiles = 23
    case canceled = 28
    case unauthorized = 34
    case diskWrite = 36
    case expiredToken = 37
    case badPath = 41
    case alreadyExists = 42
    case linkLoop = 63
  }

  let code: Int
  let text: String
  /// Whether fault injection caused the error, which then does not count as a refusal.
  let isInjected: Bool

  init(_ code: Int, _ text: String, isInjected: Bool = false) {
    self.code = code
    self.text = text
    self.isInjected = isInjected
  }

  init(_ code: Code, _ text: String) { self.init(code.rawValue, text) }
  init(_ problem: FileProblem) { self.init(problem.ascpCode, problem.message) }

  init(_ fault: LocalCloud.TransferFault) {
    let name = AscpErrorCode(fault.code)?.name ?? "\(fault.code)"
    self.init(
      fault.code, fault.text ?? "The server ended the session: \(name), as fault injection requested", isInjected: true)
  }

  /// The error for a failed login, which does not reveal the reason, as in SSH.
  static let failedLogin = TransferRefusal(.failedLogin, "failed to authenticate")
  /// The error for a call that is invalid or out of order, which `ascp-simulator` never sends.
  static let protocolError = TransferRefusal(.faspProtocol, "The transfer server does not understand the call")
  /// The end of a session whose client no longer sends requests.
  static let clientLost = TransferRefusal(.connectionLost, "The client has ended, or does not respond")
  static let canceled = TransferRefusal(.canceled, "The session was canceled by a call of the Node API")
  var document: JSONValue { ["error": ["code": .integer(code), "description": .string(text)]] }
}
