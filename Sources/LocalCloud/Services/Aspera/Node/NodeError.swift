internal import HTTPTypes
internal import StorageJSON

extension ServiceError {
  /// A refusal of the Node API, which is known by its status.
  static func node(_ status: HTTPResponse.Status, _ message: String) -> ServiceError {
    ServiceError(status, String(status.code), message)
  }

  /// The refusal of a request that is not what the Node API takes.
  static func nodeBadRequest(_ message: String) -> ServiceError { node(.badRequest, message) }

  /// What is wrong with a file or a folder.
  static func node(_ problem: FileProblem) -> ServiceError {
    switch problem {
    case .notFound: node(.notFound, problem.message)
    case .isFolder, .isNoFolder, .isRoot: node(.badRequest, problem.message)
    case .exists: node(.conflict, problem.message)
    }
  }

  /// The error as the Node API writes it.
  var nodeDocument: JSONValue {
    [
      "code": .number(JSONNumber(status.code)), "reason": .text(status.reasonPhrase), "user_message": .text(message),
    ]
  }
}
