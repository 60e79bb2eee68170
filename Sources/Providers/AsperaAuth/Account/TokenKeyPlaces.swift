// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import CloudCredentials

/// The locations at which IBM's products and aspera-cli install the SSH key for transfers with tokens.
///
/// Only the RSA key is searched for, because current servers refuse the older DSA key.
package enum TokenKeyPlaces {
  /// An operating system, which determines the locations of the key.
  package enum System: Sendable {
    case linux, macOS, windows

    /// The operating system on which this process runs.
    package static var current: System {
      #if os(Windows)
        .windows
      #elseif os(macOS)
        .macOS
      #else
        .linux
      #endif
    }
  }

  private static let name = "aspera_tokenauth_id_rsa"

  /// Returns the paths at which the key is searched for, in the order of the search.
  package static func all(_ system: System = .current, on machine: ProviderContext) -> [String] {
    switch system {
    case .linux: linux(machine)
    case .macOS: macOS(machine)
    case .windows: windows(machine)
    }
  }

  private static func linux(_ machine: ProviderContext) -> [String] {
    let conda = machine.variable("CONDA_PREFIX").map { ["\($0)/opt/aspera/connect/etc/\(name)"] } ?? []
    return ["~/.aspera/connect/etc/\(name)", "/opt/aspera/var/\(name)", "~/.aspera/cli/etc/\(name)"] + sdk + conda
  }

  private static func macOS(_ machine: ProviderContext) -> [String] {
    let connect = ["~/Applications", "/Applications"].flatMap { folder in
      ["IBM Aspera Connect", "Aspera Connect"].map { "\(folder)/\($0).app/Contents/Resources/\(name)" }
    }
    return connect
      + [
        "/Library/Aspera/var/\(name)", "~/Applications/Aspera CLI/etc/\(name)",
        "/Applications/Aspera Drive.app/Contents/Resources/\(name)",
      ] + sdk
  }

  private static func windows(_ machine: ProviderContext) -> [String] {
    let connect = machine.variable("LOCALAPPDATA").map {
      ["\($0)\\Programs\\Aspera\\Aspera Connect\\etc\\\(name)"]
    }
    let programs = machine.variable("ProgramFiles") ?? "C:\\Program Files"
    return (connect ?? []) + [
      "\(programs)\\Aspera\\Enterprise Server\\var\\\(name)", "\(programs)\\Aspera\\cli\\etc\\\(name)",
    ] + sdk
  }

  /// The path to which aspera-cli writes the key.
  private static let sdk = ["~/.aspera/sdk/aspera_bypass_rsa.pem"]
}
