internal import HTTPTypes
internal import StorageJSON

extension RefusalAnswer {
  /// A refusal of the Node API, which is known by its status.
  static func node(_ status: HTTPResponse.Status, _ message: String) -> RefusalAnswer {
    RefusalAnswer(status, String(status.code), message)
  }

  /// The refusal of a request that is not what the Node API takes.
  static func nodeBadRequest(_ message: String) -> RefusalAnswer { node(.badRequest, message) }

  /// What is wrong with a file or a folder.
  static func node(_ problem: FileProblem) -> RefusalAnswer {
    switch problem {
    case .notFound: node(.notFound, problem.message)
    case .isFolder, .isNoFolder, .isRoot: node(.badRequest, problem.message)
    case .exists: node(.conflict, problem.message)
    }
  }

  /// The error as the Node API writes it.
  var nodeDocument: JSONValue {
    [
      "code": .number(JSONNumber(status.code)), "reason": .string(status.reasonPhrase),
      "user_message": .string(message),
    ]
  }
}
