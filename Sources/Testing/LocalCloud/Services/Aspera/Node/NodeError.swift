// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageJSON

extension RefusalAnswer {
  /// Creates an error response of the Node API, whose error code is the HTTP status code.
  static func node(_ status: HTTPResponse.Status, _ message: String) -> RefusalAnswer {
    RefusalAnswer(status, String(status.code), message)
  }

  /// Creates the error response of the Node API for an invalid request.
  static func nodeBadRequest(_ message: String) -> RefusalAnswer { node(.badRequest, message) }

  /// Creates the error response of the Node API for a failed operation on a file or folder.
  static func node(_ problem: FileProblem) -> RefusalAnswer {
    switch problem {
    case .notFound: node(.notFound, problem.message)
    case .isFolder, .isNoFolder, .isRoot, .tooLong: node(.badRequest, problem.message)
    case .exists, .notEmpty: node(.conflict, problem.message)
    }
  }

  /// The error document of the Node API for this error.
  var nodeDocument: JSONValue {
    [
      "code": .number(JSONNumber(status.code)), "reason": .string(status.reasonPhrase),
      "user_message": .string(message),
    ]
  }
}
