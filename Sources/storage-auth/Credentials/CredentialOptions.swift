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

  /// The key of the first default source that has one.
  ///
  /// Warnings are printed for people.
  func cache(for provider: ProviderName) -> CredentialCache<AccessKey> {
    CredentialCache(chain(for: provider, on: .commandLine { Terminal.note("warning: \($0)") }))
  }

  /// The default sources of a cloud, or one of them.
  ///
  /// - Parameters:
  ///   - provider: The cloud.
  ///   - machine: What may be touched.
  ///   - source: The only source; nothing for all.
  func chain(
    for provider: ProviderName, on machine: MachineAccess, only source: SourceName? = nil
  ) -> CredentialChain<AccessKey> {
    switch provider {
    case .oss:
      var sources = AlibabaCredentials(machine)
      for (name, slot) in SourceName.alibaba where !includes(name, only: source) { sources[keyPath: slot] = nil }
      return sources.chain
    case .cos:
      var sources = TencentCredentials(machine)
      for (name, slot) in SourceName.tencent where !includes(name, only: source) { sources[keyPath: slot] = nil }
      return sources.chain
    }
  }

  private func includes(_ name: SourceName, only source: SourceName?) -> Bool {
    (source == nil || source == name) && !(leavesOutMetadata && name == .metadata)
  }
}

extension MachineAccess {
  /// This machine, with warnings for the person at the terminal.
  static func commandLine(onWarning: @escaping @Sendable (CredentialWarning) -> Void) -> MachineAccess {
    var machine = MachineAccess.system
    machine.onWarning = onWarning
    return machine
  }
}
