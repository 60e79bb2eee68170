// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import StorageAuth

/// Settings for access to a Node API, which come from environment variables or a profile.
///
/// The settings must be exactly one complete set: user and password, access key and secret, or access key and token.
struct NodeAccessSettings {
  /// The names of the environment variables or profile members that contain the settings.
  struct Names {
    let user: String
    let password: String
    let accessKey: String
    let secret: String
    let token: String

    var all: [String] { [user, password, accessKey, secret, token] }
  }

  let names: Names
  let values: [String: String]
  let location: SettingLocation

  /// Returns the credential that the settings specify, or `nil` if no setting is present.
  ///
  /// - Parameter now: The current time. An expired bearer token is rejected.
  /// - Throws: A `CredentialError` with the code `failed` if a set of settings is incomplete, if settings from more
  ///   than one set are present, or if the credential is invalid. In these cases, trying another provider would
  ///   silently use another identity.
  func access(at now: Timestamp) throws(CredentialError) -> AsperaNodeAccess? {
    let present = names.all.filter { values[$0] != nil }
    if present.isEmpty { return nil }
    let ways = [[names.user, names.password], [names.accessKey, names.secret], [names.accessKey, names.token]]
    let whole = ways.filter { $0.allSatisfy(present.contains) }
    let fitting = ways.filter { way in present.allSatisfy(way.contains) }
    guard let way = whole.first, whole.count == 1, present.count == way.count else {
      throw location.error(.failed, whole.isEmpty && !fitting.isEmpty ? half(present, fitting) : tooMany(present))
    }
    let access = access(way)
    try check(access, at: now)
    return access
  }

  private func half(_ present: [String], _ ways: [[String]]) -> String {
    let missing = ways.flatMap { $0.filter { !present.contains($0) } }
    return "has \(present.joined(separator: " and ")) but no \(missing.joined(separator: " or "))"
  }

  private func tooMany(_ present: [String]) -> String {
    "has \(present.joined(separator: ", ")), which do not belong together"
  }

  private func access(_ way: [String]) -> AsperaNodeAccess {
    let (name, secret) = (values[way[0]] ?? "", Secret(values[way[1]] ?? ""))
    return switch way[1] {
    case names.password: .basic(user: name, password: secret)
    case names.secret: .accessKey(id: name, secret: secret)
    default: .bearer(secret, accessKey: name)
    }
  }

  private func check(_ access: AsperaNodeAccess, at now: Timestamp) throws(CredentialError) {
    do {
      _ = try AsperaNodeSigner.fields(for: access)
    } catch {
      throw location.error(
        .failed, "has a credential that cannot be used (\(error.message.dropLast()))", remedy: error.remedy)
    }
    if let end = access.expiration, end <= now {
      throw location.error(.failed, "has a bearer token that expired at \(end)", remedy: "Store a new one there.")
    }
  }
}
