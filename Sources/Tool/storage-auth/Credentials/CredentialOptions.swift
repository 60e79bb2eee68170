// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageClient

/// The options that select the default sources of keys.
struct CredentialOptions: ParsableArguments {
  @Flag(
    name: .customLong("no-metadata"),
    help: "Skip the metadata service of the instance, so that the command does not wait for a role of the machine.")
  var skipsMetadata = false

  @OptionGroup var network: NetworkOptions

  /// Returns a cache for the keys of a cloud's default credential sources, whose warnings go to standard error.
  func cache(for cloud: any Cloud) throws -> CredentialCache<AccessKey> {
    let cache = CredentialCache(chain(for: cloud), in: try .commandLine(network))
    EventLog.traceEvents(of: cache.events)
    return cache
  }

  func chain(for cloud: any Cloud, only source: SourceName? = nil) -> CredentialChain<AccessKey> {
    cloud.chain { includes($0, only: source) }
  }

  private func includes(_ name: SourceName, only source: SourceName?) -> Bool {
    (source == nil || source == name) && !(skipsMetadata && name == .metadata)
  }
}

extension ProviderContext {
  /// Returns a context for this machine that passes warnings of credential sources to a handler.
  static func commandLine(
    _ network: NetworkOptions? = nil,
    onWarning: @escaping @Sendable (CredentialWarning) -> Void = { Terminal.warning("\($0)") }
  ) throws -> ProviderContext {
    var context = ProviderContext.system
    if let network { context.transport = try network.credentialTransport }
    context.onWarning = onWarning
    return context
  }
}

/// The name of a credential source on the command line, such as `environment`.
///
/// Each cloud has a separate set of names.
struct SourceName: ExpressibleByArgument, ExpressibleByStringLiteral, Hashable, CustomStringConvertible {
  /// The name that all clouds use for the source that requests keys from the instance's metadata service.
  static let metadata: SourceName = "metadata"

  let description: String

  init(stringLiteral name: String) {
    description = name
  }

  init(argument: String) {
    description = argument
  }
}
