internal import Foundation

/// A file or a folder of this machine.
struct LocalFile {
  let path: String
  let isFolder: Bool
  let byteCount: Int64

  /// Looks at a path; links are followed.
  ///
  /// - Returns: Nothing if nothing is there.
  init?(_ path: String) {
    let place = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: place) else { return nil }
    self.path = path
    isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
    byteCount = isFolder ? 0 : (attributes[.size] as? NSNumber)?.int64Value ?? 0
  }

  /// A file, or a folder with everything below it; each with its path below the first.
  ///
  /// Links to folders are left out, so that none leads round in a circle.
  static func walk(_ path: String) throws(Failure) -> [(file: LocalFile, below: String)] {
    guard let first = LocalFile(path) else { throw Failure(43, "No such file or directory: \(path)") }
    var found = [(file: first, below: "")]
    guard first.isFolder else { return found }
    var next = 0
    while next < found.count {
      let (folder, below) = found[next]
      next += 1
      guard folder.isFolder else { continue }
      guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
        throw Failure(5, "The folder cannot be read: \(folder.path)")
      }
      for name in names.sorted() {
        let place = SourceNaming.joined(folder.path, name)
        guard let file = LocalFile(place), !(file.isFolder && isLink(place)) else { continue }
        found.append((file, below.isEmpty ? name : "\(below)/\(name)"))
      }
    }
    return found
  }

  private static func isLink(_ path: String) -> Bool {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
  }
}
