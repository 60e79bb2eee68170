// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import AsperaAuth
internal import StorageAuth

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A locator that searches for IBM's ascp on this machine.
///
/// It examines only the path that the caller or, otherwise, `STORAGE_AUTH_ASCP` specifies. If neither of them does, it
/// searches the `PATH`, and then the locations at which IBM's products install ascp.
package struct AscpLocator: Sendable {
  package static let variable = "STORAGE_AUTH_ASCP"

  let environment: @Sendable (String) -> String?
  let home: String?
  let isProgram: @Sendable (String) -> Bool

  /// Returns the path of ascp, or throws an error that lists the searched locations.
  ///
  /// In a path from the caller or the environment variable, `~/` represents the home directory. A wrong path is an
  /// error, even if ascp is installed elsewhere.
  package func locate(_ path: String? = nil) throws(AsperaError) -> String {
    if let named = path ?? environment(Self.variable), !named.isEmpty {
      let location = absolute(named)
      guard isProgram(location) else {
        throw AsperaError(
          .toolNotFound,
          "There is no executable file at \(location)\(path == nil ? ", which \(Self.variable) names" : "").",
          remedy: "Name the file ascp itself, not its folder, or omit the name to search the known locations.")
      }
      return location
    }
    let locations = searchedPaths
    if let found = locations.first(where: isProgram) { return found }
    throw AsperaError(
      .toolNotFound, "There is no ascp on this machine; searched: \(locations.joined(separator: ", ")).",
      remedy:
        "Install IBM Aspera Connect, the Desktop Client or the Transfer SDK, or name the program in \(Self.variable).")
  }

  private var searchedPaths: [String] {
    // A relative folder in `PATH` would make the result depend on the current folder.
    let pathFolders = (environment("PATH") ?? "").words(between: ":").filter { $0.beginsWithByte("/") }
    let condaPaths = environment("CONDA_PREFIX").map { ["\($0)/bin/ascp"] } ?? []
    let locations = pathFolders.map { "\($0)/ascp" } + condaPaths + Self.installationPaths.map { absolute($0) }
    // A `PATH` often contains the same folder more than once.
    return locations.enumerated().filter { !locations[..<$0.offset].contains($0.element) }.map(\.element)
  }

  private func absolute(_ path: String) -> String {
    guard let home, path.hasBytePrefix("~/") else { return path }
    return home + path.dropFirst()
  }
}

extension AscpLocator {
  package init() {
    self.init(
      environment: { ProcessInfo.processInfo.environment[$0] },
      home: FileManager.default.homeDirectoryForCurrentUser.path, isProgram: Self.isExecutableFile)
  }

  private static func isExecutableFile(_ path: String) -> Bool {
    var isFolder: Bool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder else { return false }
    return FileManager.default.isExecutableFile(atPath: path)
  }

  #if os(macOS)
    /// The paths of Connect, the Desktop Client, the servers, Drive, the old command line, and ascli's downloads.
    static let installationPaths = [
      "~/Applications/Aspera Connect.app/Contents/Resources/ascp",
      "~/Applications/IBM Aspera Connect.app/Contents/Resources/ascp",
      "/Applications/Aspera Connect.app/Contents/Resources/ascp",
      "/Applications/IBM Aspera Connect.app/Contents/Resources/ascp",
      "/Applications/IBM Aspera.app/Contents/Resources/transferd/bin/ascp", "/Library/Aspera/bin/ascp",
      "/Applications/Aspera Drive.app/Contents/Resources/ascp", "~/Applications/Aspera CLI/bin/ascp",
      "~/.aspera/sdk/ascp",
    ]
  #else
    /// The paths of Connect, the servers, the old command line, and ascli's downloads.
    static let installationPaths = [
      "~/.aspera/connect/bin/ascp", "/opt/aspera/bin/ascp", "~/.aspera/cli/bin/ascp", "~/.aspera/sdk/ascp",
    ]
  #endif
}
