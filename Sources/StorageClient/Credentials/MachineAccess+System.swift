public import AsperaAuth
public import CloudCredentials
internal import Logging
public import StorageAuth

extension MachineAccess {
  /// This machine: its environment, files and clocks, commands as subprocesses, and the network over AsyncHTTPClient.
  ///
  /// The home directory is the one that `HOME` names, as for the vendors' tools, or else that of the user. Warnings, such
  /// as one about a secret file that others can read, go to the log with the label `storage-auth`.
  public static var system: MachineAccess {
    var machine = MachineAccess(transport: AsyncHTTPClientTransport.shared, commands: SubprocessCommandRunner())
    if let home = machine.environment("HOME"), home.hasPrefix("/") { machine.home = home }
    let logger = Logger(label: "storage-auth")
    machine.onWarning = { logger.warning("\($0)") }
    return machine
  }
}

extension AlibabaCredentials {
  /// The vendor's sources on this machine; replace or leave out what is not wanted.
  ///
  /// ```swift
  /// var sources = AlibabaCredentials.default
  /// sources.metadata = nil
  /// let credentials = CredentialCache(sources.chain)
  /// ```
  public static var `default`: AlibabaCredentials { AlibabaCredentials(.system) }
}

extension TencentCredentials {
  /// The vendor's sources on this machine; replace or leave out what is not wanted.
  public static var `default`: TencentCredentials { TencentCredentials(.system) }
}

extension AsperaCredentials {
  /// The sources of access to a Node API on this machine; replace or leave out what is not wanted.
  public static var `default`: AsperaCredentials { AsperaCredentials(.system) }
}

extension CredentialProvider where Self == CredentialChain<AsperaNodeAccess> {
  /// The default sources of access to a Node API on this machine, as `AsperaCredentials` lists them.
  public static var asperaDefault: CredentialChain<AsperaNodeAccess> { AsperaCredentials.default.chain }
}

extension CredentialProvider where Self == CredentialChain<AccessKey> {
  /// The default sources of Alibaba Cloud on this machine, as `AlibabaCredentials` lists them.
  ///
  /// ```swift
  /// let credentials = CredentialCache(.alibabaDefault)
  /// ```
  public static var alibabaDefault: CredentialChain<AccessKey> { AlibabaCredentials.default.chain }

  /// The default sources of Tencent Cloud on this machine, as `TencentCredentials` lists them.
  public static var tencentDefault: CredentialChain<AccessKey> { TencentCredentials.default.chain }
}
