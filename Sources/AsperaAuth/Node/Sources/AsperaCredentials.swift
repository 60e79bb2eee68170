public import CloudCredentials
public import StorageAuth

/// Where access to a Node API comes from when nobody says it: the environment, then a file.
///
/// Each source is a slot that can be replaced or left out. The order is that of the properties. A source that is not set
/// up here is passed over; one that is set up and broken ends the search.
///
/// ```swift
/// var sources = AsperaCredentials(machine)
/// sources.profile = vault
/// let access = CredentialCache(sources.chain)
/// ```
public struct AsperaCredentials: Sendable {
  /// A source; nothing to leave it out.
  public typealias Source = (any CredentialProvider<AsperaNodeAccess>)?

  /// `ASPERA_NODE_USER` and the others; see ``AsperaEnvironmentProvider``.
  public var environment: Source

  /// The profile in `~/.aspera/storage-auth.json`; see ``AsperaProfileProvider``.
  public var profile: Source

  /// Fills every slot.
  ///
  /// - Parameter machine: What may be touched.
  public init(_ machine: ProviderContext) {
    environment = AsperaEnvironmentProvider(machine)
    profile = AsperaProfileProvider(machine: machine)
  }

  /// The sources that are there, in their order.
  public var chain: CredentialChain<AsperaNodeAccess> {
    CredentialChain([environment, profile].compactMap(\.self), source: "Aspera default sources")
  }
}

extension CredentialProvider where Self == CredentialChain<AsperaNodeAccess> {
  /// The default sources of access to a Node API, as ``AsperaCredentials`` lists them.
  ///
  /// - Parameter machine: What may be touched.
  public static func asperaDefault(_ machine: ProviderContext) -> CredentialChain<AsperaNodeAccess> {
    AsperaCredentials(machine).chain
  }
}
