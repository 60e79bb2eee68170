// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CloudCredentials
internal import Foundation
internal import StorageAuth

extension CredentialFinding {
  /// The result of the search as text: one line for each source, the key with its secrets masked, and the warnings.
  var text: String {
    var lines = declined.map { "declined  \($0.source): \($0.message) \($0.remedy)" }
    switch result {
    case .success(let answer):
      lines.append("answered  \(answer.source)")
      lines += [
        "", "id             \(answer.key.id)", "secret         \(Secret.mask)",
        "session token  \(answer.key.sessionToken == nil ? "none" : Secret.mask)", "valid          \(answer.lifeText)",
      ]
    case .failure(let error):
      let verb = error.code == .notConfigured ? "no key   " : "failed   "
      lines.append("\(verb) \(error.source): \(error.message) \(error.remedy)")
    }
    lines += warnings.map { "warning   \($0)" }
    return lines.joined(separator: "\n")
  }

  /// Returns the result of the search as a JSON object on one line.
  func json(_ provider: CloudName) throws -> String {
    var report = Report(
      provider: provider.description, sources: chain, declined: declined.map(Report.Problem.init),
      warnings: warnings.map { Report.Warning(source: $0.source, message: $0.message, remedy: $0.remedy) })
    switch result {
    case .success(let answer):
      report.source = answer.source
      report.credential = Report.Key(
        id: answer.key.id.string, isTemporary: answer.key.sessionToken != nil,
        expiration: answer.key.expiration?.iso8601,
        secondsLeft: answer.life?.components.seconds)
    case .failure(let error): report.error = Report.Problem(error)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(report), as: UTF8.self)
  }

  /// The JSON object that `storage-auth credentials --json` prints.
  ///
  /// Its types have no property for a secret, so that no secret can be printed.
  private struct Report: Encodable {
    var provider: String
    var sources: String
    var source: String?
    var credential: Key?
    var error: Problem?
    var declined: [Problem]
    var warnings: [Warning]

    struct Key: Encodable {
      var id: String
      var isTemporary: Bool
      var expiration: String?
      var secondsLeft: Int64?
    }

    struct Problem: Encodable {
      var source: String
      var code: String
      var message: String
      var remedy: String

      init(_ error: CredentialError) {
        source = error.source
        code = "\(error.code)"
        message = error.message
        remedy = error.remedy
      }
    }

    struct Warning: Encodable {
      var source: String
      var message: String
      var remedy: String
    }
  }
}

extension CredentialFinding.Answer {
  /// The remaining lifetime of the key as a phrase for the user.
  fileprivate var lifeText: String {
    guard let life, let end = key.expiration else { return "indefinitely" }
    let seconds = life.components.seconds
    if seconds <= 0 { return "no longer: it expired at \(end)" }
    let parts = [(seconds / 3600, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")]
    return "for \(parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: " ")), until \(end)"
  }
}
