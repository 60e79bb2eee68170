internal import AsperaAuth
internal import StorageJSON

/// Why the desk refuses a transfer, in the numbers of ascp.
struct TransferRefusal: Error {
  let code: Int
  let text: String

  init(_ code: Int, _ text: String) {
    self.code = code
    self.text = text
  }

  /// What is wrong with a file or a folder.
  init(_ problem: FileProblem) {
    switch problem {
    case .notFound: code = 4
    case .isNoFolder: code = 6
    case .isFolder: code = 7
    case .isRoot: code = 41
    case .exists: code = 42
    }
    text = problem.message
  }

  /// A failure that was asked for.
  init(_ fault: LocalCloud.TransferFault) {
    let name = AscpErrorCode(fault.code)?.name ?? "\(fault.code)"
    self.init(fault.code, fault.text ?? "The server ended the session: \(name), as it was asked for")
  }

  /// The refusal of an account; what is wrong with it is not said, as SSH does not.
  static let account = TransferRefusal(19, "failed to authenticate")

  /// The refusal of a call that is out of order, which the simulator does not make.
  static let protocolError = TransferRefusal(1, "The transfer desk does not understand the call")

  /// The refusal as the desk writes it.
  var document: JSONValue { ["error": ["code": .number(JSONNumber(code)), "description": .string(text)]] }
}
