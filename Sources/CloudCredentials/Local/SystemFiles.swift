#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The files of this machine.
public struct SystemFiles: FileReader {
  /// Makes a reader; all of them are the same.
  public init() {}

  /// Reads a regular file as a whole; symbolic links are followed.
  public func read(_ path: String, limit: Int) throws(FileReadError) -> FileContents {
    do {
      let url = URL(filePath: path).resolvingSymlinksInPath()
      let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
      switch attributes[.type] as? FileAttributeType {
      case .typeRegular?: break
      case .typeSymbolicLink?: throw FileReadError.notFound
      default: throw FileReadError.unreadable("it is not a regular file")
      }
      guard (attributes[.size] as? Int ?? 0) <= limit else { throw FileReadError.tooLarge }
      let data = try Data(contentsOf: url)
      guard data.count <= limit else { throw FileReadError.tooLarge }
      return FileContents(
        [UInt8](data), permissions: (attributes[.posixPermissions] as? Int).map { UInt16($0 & 0o7777) })
    } catch let error as FileReadError {
      throw error
    } catch {
      throw Self.reason(for: error, at: path)
    }
  }

  private static func reason(for error: any Error, at path: String) -> FileReadError {
    switch (error as? CocoaError)?.code {
    case .fileReadNoSuchFile?, .fileNoSuchFile?: .notFound
    case .fileReadNoPermission?: .unreadable("permission denied")
    case let code:
      FileManager.default.fileExists(atPath: path)
        ? .unreadable("error \(code?.rawValue ?? 0)") : .notFound
    }
  }
}
