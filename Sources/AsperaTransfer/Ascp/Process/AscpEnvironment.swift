// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import Subprocess

/// The complete environment of ascp: the variables of this process that every program needs, and the secrets.
///
/// No other variable is inherited. An Aspera variable that happens to be set in this process, such as another user's
/// token, must not change the effect of a transfer.
struct AscpEnvironment: Sendable {
  /// The names of the inherited variables.
  static let inherited = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ"]

  private var variables: [String: Secret] = [:]

  /// Creates an environment.
  ///
  /// - Parameters:
  ///   - machine: A function that returns the environment variables of this process.
  ///   - own: The variables for ascp.
  init(from machine: (String) -> String?, own: some Sequence<(key: String, value: Secret)>) {
    for name in Self.inherited { variables[name] = machine(name).map { Secret($0) } }
    for (name, value) in own { variables[name] = value }
  }

  var subprocess: Environment {
    var revealed: [Environment.Key: String] = [:]
    for (name, value) in variables {
      if let key = Environment.Key(rawValue: name) { revealed[key] = value.reveal() }
    }
    return .custom(revealed)
  }
}
