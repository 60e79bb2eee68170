// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import SystemPackage

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The location of a file that need not exist: a name in an open folder.
package struct FileLocation: Sendable {
  private static let temporarySuffix = ".part"

  package let folder: Folder
  package let name: FilePath.Component

  package init(_ name: FilePath.Component, in folder: Folder) {
    self.folder = folder
    self.name = name
  }

  /// Creates the location at a path of the caller, whose folder must exist.
  package init(_ path: FilePath, in system: any FileSystem = .system) async throws {
    guard let name = path.lastComponent, name.kind == .regular else { throw StorageError.notRegular(path) }
    self.name = name
    folder = try await system.runBlocking(at: path) { try Folder.open(path.removingLastComponent(), in: system) }
  }

  var path: FilePath { folder.path.appending(name) }

  /// Returns the status of the file or folder with the name, or `nil` if there is none.
  package func status(followsLink: Bool = true) async throws -> FileStatus? {
    try await folder.runBlocking(at: name) { [name] in try $0.status(of: name, followsLink: followsLink) }
  }

  /// Returns the permissions for a replacement of the file, which must be regular, or `nil` if no file exists.
  package func permissions() async throws -> FilePermissions? {
    guard let status = try await status() else { return nil }
    guard status.kind == .regular else { throw StorageError.notRegular(path) }
    return status.permissionsOfReplacement
  }

  func remove() async throws { try await folder.runBlocking(at: name) { [name] in try $0.remove(name) } }

  /// Returns a new name for the file while it is incomplete, which another process recognizes as such.
  func temporaryName() -> FilePath.Component {
    let random = String(UInt64.random(in: .min ... .max), radix: 36)
    return FilePath.Component(temporaryPrefix + random + Self.temporarySuffix) ?? name
  }

  /// Returns the temporary name of this file that a checkpoint contains, or `nil` if the text is another name.
  func temporaryName(parsing text: String) -> FilePath.Component? {
    // A number of 64 bits has at most 13 digits to the base 36.
    guard let random = text.removingBytePrefix(temporaryPrefix)?.removingByteSuffix(Self.temporarySuffix),
      (1...13).contains(random.utf8.count), random == random.lowercased(),
      random.utf8.allSatisfy(\.isASCIILetterOrDigit)
    else { return nil }
    return FilePath.Component(text)
  }

  /// The start of temporary names: its name, cut at a whole character, because names have at most 255 bytes.
  private var temporaryPrefix: String {
    let nameByteLimit = 64
    var prefix = ""
    for scalar in name.string.unicodeScalars {
      guard prefix.utf8.count + UTF8.width(scalar) <= nameByteLimit else { break }
      prefix.unicodeScalars.append(scalar)
    }
    return ".\(prefix)."
  }
}

extension Folder {
  /// Returns the location of a file whose name is known to be a component of a path.
  func location(named name: String) throws(StorageError) -> FileLocation {
    guard let component = FilePath.Component(name) else { throw StorageError.notRegular(path) }
    return FileLocation(component, in: self)
  }
}

extension FilePath {
  /// The absolute path; a relative path starts at the working directory of the process.
  package var absolute: FilePath {
    isAbsolute ? self : FilePath(FileManager.default.currentDirectoryPath).pushing(self)
  }
}
