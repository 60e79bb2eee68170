// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
public import StorageAuth

extension AsperaCredentials {
  /// The sources of access to a Node API on this machine; individual sources can be replaced or left out.
  public static var `default`: AsperaCredentials { AsperaCredentials(.system) }
}

extension CredentialProvider where Self == CredentialChain<AsperaNodeAccess> {
  /// The default chain of sources of access to a Node API on this machine, as `AsperaCredentials` lists them.
  public static var asperaDefault: CredentialChain<AsperaNodeAccess> { AsperaCredentials.default.chain }
}
