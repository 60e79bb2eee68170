// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageJSON

extension RefusalAnswer {
  /// Creates an error of the Node API, whose code is its status.
  static func node(_ status: HTTPResponse.Status, _ message: String) -> RefusalAnswer {
    RefusalAnswer(status, String(status.code), message)
  }

  /// Creates the error for an invalid request.
  static func nodeBadRequest(_ message: String) -> RefusalAnswer { node(.badRequest, message) }

  /// Creates the error for a file problem.
  static func node(_ problem: FileProblem) -> RefusalAnswer {
    switch problem {
    case .notFound: node(.notFound, problem.message)
    case .isFolder, .isNoFolder, .isRoot: node(.badRequest, problem.message)
    case .exists: node(.conflict, problem.message)
    }
  }

  /// The error document of the Node API.
  var nodeDocument: JSONValue {
    [
      "code": .number(JSONNumber(status.code)), "reason": .string(status.reasonPhrase),
      "user_message": .string(message),
    ]
  }
}
