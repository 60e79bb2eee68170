// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CloudCredentials
internal import StorageAuth
internal import StorageClient

/// The options for the source of the keys.
struct CredentialOptions: ParsableArguments {
  @Flag(
    name: .customLong("no-metadata"),
    help: "Skip the metadata service of the instance, so that the command does not wait for a role of the machine.")
  var leavesOutMetadata = false

  /// Returns a cache of the keys of the first default source of a cloud that has one.
  ///
  /// Warnings are printed to standard error.
  func cache(for cloud: any Cloud) -> CredentialCache<AccessKey> {
    CredentialCache(chain(for: cloud, on: .commandLine { Terminal.note("warning: \($0)") }))
  }

  /// Returns the chain of a cloud's default sources, or of only one of them.
  ///
  /// - Parameters:
  ///   - cloud: The cloud.
  ///   - machine: The environment, files and network that the sources may use.
  ///   - source: The only source, or `nil` for all.
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
  /// Returns the context of this machine, with a handler of warnings.
  static func commandLine(onWarning: @escaping @Sendable (CredentialWarning) -> Void) -> ProviderContext {
    var machine = ProviderContext.system
    machine.onWarning = onWarning
    return machine
  }
}
