// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaClient

/// Descriptions of errors for people, and for programs as the members of a JSON object.
enum ErrorReport {
  /// Returns an error as text without the name of its code, or `nil` for an error of another type.
  static func text(of error: any Error) -> String? {
    switch error {
    case let error as CredentialError: credentialText(error)
    case is ServiceError, is TransferFailure: "\(error)"
    case let error as any ActionableError: "\(forCommandLine(error.message)) \(forCommandLine(error.remedy))"
    default: nil
    }
  }

  /// The phrases of the libraries about what to do in code, with what to do on the command line instead.
  private static let phrases: [(ofLibrary: String, ofCommandLine: String)] = [
    ("Pass the bucket to the signer.", "Name the bucket with --bucket."),
    ("set the addressing style.", "add --style."), ("; ServiceEndpoint does that.", "."),
    ("use allowsEmptySource or --allow", "add --allow"),
    ("Give it one of them;", "Set ASPERA_SCP_PASS, or add --password-file FILE or --key FILE;"),
    ("Give its passphrase.", "Set ASPERA_SCP_PASS, or add --password-file FILE."),
    ("Give the account the passphrase of this key;", "Set ASPERA_SCP_PASS or --password-file to that of this key;"),
    ("Give a file with one key in it.", "Name one with one key with --key FILE."),
    ("name its authority if it is a private one.", "name the file of a private authority with --ca-file FILE."),
  ]

  private static func forCommandLine(_ text: String) -> String {
    phrases.reduce(text) { $0.replacing($1.ofLibrary, with: $1.ofCommandLine) }
  }

  /// Returns the text of an error; if all sources declined, it names the variables to set.
  private static func credentialText(_ error: CredentialError) -> String {
    guard error.code == .notConfigured, !error.declined.isEmpty else {
      return "\(error.source): \(error.message) \(error.remedy)"
    }
    guard let name = CloudName(where: { $0.sources.chain { _ in true }.source == error.source }) else {
      return "There is no access to the node. Set ASPERA_NODE_USER and ASPERA_NODE_PASSWORD; the page of the command "
        + "line shows all sources."
    }
    let (id, secret) = name.cloud.keyVariables
    return "There is no key for \(name). Set \(id) and \(secret); "
      + "storage-auth credentials --provider \(name) shows all sources."
  }

  /// Returns the members `code`, `message`, `remedy` and those of a service, or `nil` for an error of another type.
  static func members(_ error: any Error) -> JSONObject? {
    switch error {
    case let error as CredentialError: members(error)
    case let error as ServiceError: members(error)
    case let error as any ActionableError:
      members("\(error.code)", forCommandLine(error.message), forCommandLine(error.remedy))
    default: nil
    }
  }

  static func members(_ error: CredentialError) -> JSONObject {
    var members = members("\(error.code)", error.message, error.remedy)
    members["source"] = .string(error.source)
    return members
  }

  private static func members(_ code: String, _ message: String, _ remedy: String) -> JSONObject {
    ["code": .string(code), "message": .string(message), "remedy": .string(remedy)]
  }

  private static func members(_ error: ServiceError) -> JSONObject {
    var members = members("\(error.kind)", error.message, error.remedy)
    members["serviceCode"] = .string(error.code)
    members["status"] = .integer(error.status.code)
    members["requestId"] = .text(error.requestID)
    members["subject"] = .string(error.subject)
    members["attempts"] = .integer(error.attempts)
    if let diagnosis = error.diagnosis {
      members["cause"] = .string(diagnosis.cause.rawValue)
      members["explanation"] = .string(diagnosis.explanation)
    }
    return members
  }
}

/// A failure that ends the program with status 1.
struct CommandFailure: Error, CustomStringConvertible { let description: String }
