internal import Foundation

/// What the tool asks about files of this machine.
enum LocalFiles {
  /// Whether there is a directory of a name.
  static func isDirectory(_ path: String) -> Bool {
    (try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType) == .typeDirectory
  }

  /// The size of a file in bytes, or `nil` if it cannot be told.
  static func byteCount(_ path: String) -> Int64? {
    (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.int64Value
  }
}
