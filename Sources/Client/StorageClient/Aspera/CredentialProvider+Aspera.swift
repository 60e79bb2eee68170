// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
public import StorageAuth

extension AsperaCredentials {
  /// The sources of Node API credentials on this machine.
  ///
  /// Individual sources can be replaced or left out.
  public static var `default`: AsperaCredentials { AsperaCredentials(.system) }
}

extension CredentialProvider where Self == CredentialChain<AsperaNodeAccess> {
  /// The default chain of Node API credential sources on this machine, which `AsperaCredentials` describes.
  public static var asperaDefault: CredentialChain<AsperaNodeAccess> { AsperaCredentials.default.chain }
}
