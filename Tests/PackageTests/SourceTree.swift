// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation

/// The source files of the package, located relative to this file.
struct SourceTree {
  struct File {
    /// The path below the root of the package.
    let path: String
    let lines: [Substring]

    /// The folder below that of a layer: the target.
    var target: String { path.split(separator: "/").dropFirst(2).first.map(String.init) ?? "" }

    /// The imported modules.
    var imports: [String] {
      lines.compactMap { line in
        let words = line.split(separator: " ").filter { !$0.hasPrefix("@") }
        guard let index = words.firstIndex(of: "import"), index <= 1, words.count > index + 1 else { return nil }
        let name = words[words.count - 1].prefix { $0 != "." }
        return index == 0 || ["public", "package", "internal", "private", "fileprivate"].contains(words[0])
          ? String(name) : nil
      }
    }
  }

  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  let files: [File]

  init(_ folder: String) throws {
    let base = Self.root.appending(path: folder, directoryHint: .isDirectory).resolvingSymlinksInPath()
    guard let walk = FileManager.default.enumerator(at: base, includingPropertiesForKeys: nil) else {
      throw CocoaError(.fileNoSuchFile)
    }
    files = try walk.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.map { url in
      let path = folder + url.resolvingSymlinksInPath().path.dropFirst(base.path.count)
      let text = try String(contentsOf: url, encoding: .utf8)
      return File(
        path: path.replacingOccurrences(of: "//", with: "/"),
        lines: text.split(separator: "\n", omittingEmptySubsequences: false))
    }
  }
}
