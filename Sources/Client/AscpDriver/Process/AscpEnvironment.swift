// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import Subprocess

/// The complete environment of an ascp process, which consists of a few inherited variables and the secrets for ascp.
///
/// No other variable is inherited. An Aspera variable that is set in this process, such as another user's token, must
/// not affect a transfer.
struct AscpEnvironment: Sendable {
  /// The names of the environment variables that ascp inherits from this process.
  static let inherited = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ"]

  private var variables: [String: Secret] = [:]

  /// Creates the environment for an ascp process.
  ///
  /// - Parameters:
  ///   - machine: A function that returns the value of an environment variable of this process.
  ///   - own: The environment variables that are set for ascp, by name.
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
