internal import NIOCore
internal import SystemPackage
internal import _NIOFileSystem

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A file that takes the place of another one, or of none, when it is complete; until then nobody sees it.
///
/// It is written next to its destination, so that the last step is one atomic rename inside a directory. The file system
/// library's own replacing removes the destination first; then a crash between the two steps loses both.
struct FileReplacement: Sendable {
  private let destination: FilePath
  private let temporary: FilePath
  private let handle: WriteFileHandle

  /// Runs a body that writes a file, and puts the file in its place if the body succeeds.
  static func write<Result>(
    _ destination: FilePath, _ body: (FileReplacement) async throws -> Result
  ) async throws -> Result {
    let replacement = try await FileReplacement(destination)
    do {
      let result = try await body(replacement)
      try await Task { try await replacement.handle.close() }.value
      try replacement.rename()
      return result
    } catch {
      await Task {
        try? await replacement.handle.close(makeChangesVisible: false)
        _ = try? await FileSystem.shared.removeItem(at: replacement.temporary)
      }.value
      throw (error as? FileSystemError).map { StorageError($0, at: destination) } ?? error
    }
  }

  private init(_ destination: FilePath) async throws {
    let info = try await FileSystem.shared.info(forFileAt: destination)
    guard let name = destination.lastComponent, info == nil || info?.type == .regular else {
      throw StorageError(
        .unusableFile, "\(destination) is not a regular file.", remedy: "Name a file that exists or that can be made.")
    }
    self.destination = destination
    let suffix = String(UInt64.random(in: .min ... .max), radix: 36)
    temporary = destination.removingLastComponent().appending(".\(name.string.prefix(64)).\(suffix).part")
    let options = OpenOptions.Write(
      existingFile: .none, newFile: OpenOptions.NewFile(permissions: info?.permissions, transactionalCreation: false))
    do {
      handle = try await FileSystem.shared.openFile(forWritingAt: temporary, options: options)
    } catch let error as FileSystemError {
      throw StorageError(error, at: destination)
    }
  }

  /// Writes bytes to a place.
  func write(_ bytes: [UInt8], at offset: Int64) async throws {
    try await handle.write(contentsOf: bytes, toAbsoluteOffset: offset)
  }

  private func rename() throws {
    let problem = unsafe temporary.withPlatformString { from in
      unsafe destination.withPlatformString { to in unsafe renameat(AT_FDCWD, from, AT_FDCWD, to) == 0 ? 0 : errno }
    }
    guard problem == 0 else {
      throw StorageError(
        .unusableFile, "\(destination) could not be replaced: \(Errno(rawValue: problem)).",
        remedy: "Check the permissions of the directory.")
    }
  }
}
