internal import ArgumentParser
internal import CloudCredentials
internal import StorageAuth
internal import StorageClient

/// Where commands get their keys.
struct CredentialOptions: ParsableArguments {
  @Flag(
    name: .customLong("no-metadata"),
    help: "Leave the metadata service of the instance out, so that no role of the machine is waited for.")
  var leavesOutMetadata = false

  /// Returns the key of the first default source of a cloud that has one.
  ///
  /// Warnings are printed for people.
  func cache(for cloud: any Cloud) -> CredentialCache<AccessKey> {
    CredentialCache(chain(for: cloud, on: .commandLine { Terminal.note("warning: \($0)") }))
  }

  /// Returns the default sources of a cloud, or one of them.
  ///
  /// - Parameters:
  ///   - cloud: The cloud.
  ///   - machine: What may be touched.
  ///   - source: The only source; `nil` for all.
  func chain(
    for cloud: any Cloud, on machine: ProviderContext, only source: SourceName? = nil
  ) -> CredentialChain<AccessKey> {
    cloud.chain(on: machine) { includes($0, only: source) }
  }

  private func includes(_ name: SourceName, only source: SourceName?) -> Bool {
    (source == nil || source == name) && !(leavesOutMetadata && name == .metadata)
  }
}

extension ProviderContext {
  /// This machine, with warnings for the person at the terminal.
  static func commandLine(onWarning: @escaping @Sendable (CredentialWarning) -> Void) -> ProviderContext {
    var machine = ProviderContext.system
    machine.onWarning = onWarning
    return machine
  }
}
