// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageClient

/// The members of the JSON object that describes an error with `--json`.
enum ErrorReport {
  /// Returns the members for an error: `code`, `message`, `remedy`, and what a service said.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - message: The message for errors of other types.
  static func members(_ error: any Error, message: String) -> JSONObject {
    switch error {
    case let error as ServiceError: service(error)
    case let error as CredentialError: members("\(error.code)", error.message, error.remedy, source: error.source)
    case let error as any ActionableError: members("\(error.code)", error.message, error.remedy)
    default: ["message": .string(message)]
    }
  }

  private static func members(
    _ code: String, _ message: String, _ remedy: String, source: String? = nil
  ) -> JSONObject {
    var members: JSONObject = ["code": .string(code), "message": .string(message), "remedy": .string(remedy)]
    if let source { members["source"] = .string(source) }
    return members
  }

  private static func service(_ error: ServiceError) -> JSONObject {
    var members = members("\(error.kind)", error.message, error.remedy)
    members["serviceCode"] = .string(error.code)
    members["status"] = .number(JSONNumber(error.status.code))
    members["requestId"] = error.requestID.map { .string($0) } ?? .null
    members["subject"] = .string(error.subject)
    members["attempts"] = .number(JSONNumber(error.attempts))
    if let diagnosis = error.diagnosis {
      members["cause"] = .string(diagnosis.cause.rawValue)
      members["explanation"] = .string(diagnosis.explanation)
    }
    return members
  }
}
