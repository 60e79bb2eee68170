// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension AscpLocator {
  #if os(macOS)
    /// The paths at which IBM's products for macOS install ascp.
    ///
    /// The products are Connect, the Desktop Client, the servers, Drive, the old command line, and the downloads of
    /// ascli.
    static let installed = [
      "~/Applications/Aspera Connect.app/Contents/Resources/ascp",
      "~/Applications/IBM Aspera Connect.app/Contents/Resources/ascp",
      "/Applications/Aspera Connect.app/Contents/Resources/ascp",
      "/Applications/IBM Aspera Connect.app/Contents/Resources/ascp",
      "/Applications/IBM Aspera.app/Contents/Resources/transferd/bin/ascp",
      "/Library/Aspera/bin/ascp",
      "/Applications/Aspera Drive.app/Contents/Resources/ascp",
      "~/Applications/Aspera CLI/bin/ascp",
      "~/.aspera/sdk/ascp",
    ]
  #else
    /// The paths at which IBM's products for Linux install ascp.
    ///
    /// The products are Connect, the servers, the old command line, and the downloads of ascli.
    static let installed = [
      "~/.aspera/connect/bin/ascp", "/opt/aspera/bin/ascp", "~/.aspera/cli/bin/ascp", "~/.aspera/sdk/ascp",
    ]
  #endif
}
