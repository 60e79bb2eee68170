internal import Foundation

/// What the tool asks about files of this machine.
enum LocalFiles {
  /// Whether there is a directory of a name.
  static func isDirectory(_ path: String) -> Bool {
    (try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType) == .typeDirectory
  }
}
