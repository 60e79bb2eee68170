internal import StorageAuth
internal import Subprocess

/// The whole environment that ascp is started with: what any program needs of this process's own, and the secrets.
///
/// Nothing else is handed down. A variable of Aspera's that happens to be set here, such as a token of somebody else,
/// must not change what a transfer does.
struct AscpEnvironment: Sendable {
  /// What is handed down where it is set.
  static let inherited = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ"]

  private var variables: [String: Secret] = [:]

  /// - Parameters:
  ///   - machine: Gives the variables of this process.
  ///   - own: Those of ascp.
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
