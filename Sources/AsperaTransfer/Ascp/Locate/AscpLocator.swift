package import AsperaAuth

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Finds IBM's ascp on this machine.
///
/// It is looked for at the path that is given, and only there if one is; else in `STORAGE_AUTH_ASCP`, on the `PATH`, and
/// where IBM's products install it.
package struct AscpLocator: Sendable {
  /// The environment variable that names the program.
  package static let variable = "STORAGE_AUTH_ASCP"

  private let environment: @Sendable (String) -> String?
  private let home: String?
  private let isProgram: @Sendable (String) -> Bool

  /// Looks on this machine.
  package init() {
    self.init(
      environment: { ProcessInfo.processInfo.environment[$0] },
      home: FileManager.default.homeDirectoryForCurrentUser.path, isProgram: Self.isExecutableFile)
  }

  /// Looks on a machine that is described.
  ///
  /// - Parameters:
  ///   - environment: Gives the variables.
  ///   - home: The home directory.
  ///   - isProgram: Whether there is a file at a path that may be executed.
  init(
    environment: @escaping @Sendable (String) -> String?, home: String?,
    isProgram: @escaping @Sendable (String) -> Bool
  ) {
    self.environment = environment
    self.home = home
    self.isProgram = isProgram
  }

  /// The path of ascp.
  ///
  /// - Parameter path: Where it is, if that is known; `~/` is the home directory.
  /// - Throws: An `AsperaError` that lists the places searched. A place that somebody named and where it is not is an
  ///   error, although it might be elsewhere.
  package func locate(_ path: String? = nil) throws(AsperaError) -> String {
    if let named = path ?? environment(Self.variable), !named.isEmpty {
      let place = absolute(named)
      guard isProgram(place) else { throw Self.notThere(place, isVariable: path == nil) }
      return place
    }
    let places = searched
    if let found = places.first(where: isProgram) { return found }
    throw AsperaError(
      .toolNotFound, "There is no ascp on this machine; searched: \(places.joined(separator: ", ")).",
      remedy:
        "Install IBM Aspera Connect, the Desktop Client or the Transfer SDK, or name the program in \(Self.variable).")
  }

  /// Where it is looked for if nobody names a place.
  private var searched: [String] {
    let path = (environment("PATH") ?? "").split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/ascp" }
    let conda = environment("CONDA_PREFIX").map { ["\($0)/bin/ascp"] } ?? []
    let places = path + conda + Self.installed.map { absolute($0) }
    // A PATH often has the same folder twice.
    return places.enumerated().filter { !places[..<$0.offset].contains($0.element) }.map(\.element)
  }

  private func absolute(_ path: String) -> String {
    guard path.hasPrefix("~/"), let home else { return path }
    return home + path.dropFirst()
  }

  private static func notThere(_ place: String, isVariable: Bool) -> AsperaError {
    AsperaError(
      .toolNotFound,
      "There is no program that may be executed at \(place)\(isVariable ? ", which \(variable) names" : "").",
      remedy: "Name the file ascp itself, not its folder, or leave the name out to have it looked for.")
  }

  private static func isExecutableFile(_ path: String) -> Bool {
    var isFolder: Bool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder else { return false }
    return FileManager.default.isExecutableFile(atPath: path)
  }
}
