// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import XCTest

/// Atomic replacement of files: no existing file is lost before its replacement is complete.
///
/// A file is replaced by `FileReplacement`, or by `Data.write(to:options: .atomic)` if it is small: both rename a
/// complete file over the old one. Every other call that can destroy a file is rejected here.
final class FileSafetyTests: XCTestCase {
  /// Calls that remove a destination before its replacement exists, exchange two files, or empty a file in place.
  private static let forbidden = [
    "replaceItem(", "replaceItemAt(", "moveItem(", "copyItem(", "linkItem(", "trashItem(", "exchangedata(",
    "createFile(", "forWritingAtPath:", "forUpdatingAtPath:", "FileHandle(forWritingTo:", "FileHandle(forUpdating:",
    "replaceExisting: true", "createOrTruncate", "existingFile: .truncate", "existingFile: .open",
    "modifyFile(createIfNecessary: true", ".truncate(", "ftruncate(", "O_TRUNC", "fopen(", "freopen(",
    "OutputStream(", "toFile:", "usingNewMetadataOnly", "withItemAt:", "renameat2(",
  ]

  /// Files that may use one of them, because the file is in a folder that was just created for it, is a partial file to
  /// which bytes are appended, or is moved to a new name before it replaces another one.
  private static let allowed: [String: Set<String>] = [
    "Sources/Providers/AsperaAuth/TemporaryFolder.swift": ["createFile("],
    "Sources/Client/StorageBackground/FinishedDownload.swift": ["moveItem("],
    "Sources/Testing/ascp-simulator/ReceivedFile.swift": ["forUpdatingAtPath:"],
    "Examples/AnyProviderExample/SampleFiles.swift": ["createFile(", "forWritingAtPath:"],
  ]

  /// Returns the calls of a line that can lose a file.
  private static func calls(in line: Substring) -> [String] {
    guard !line.drop(while: { $0 == " " }).hasPrefix("//") else { return [] }
    let isPlainWrite = line.contains("Data(") && line.contains(".write(to:") && !line.contains("options: .atomic")
    return forbidden.filter { calls($0, in: line) } + (isPlainWrite ? ["Data.write(to:) without .atomic"] : [])
  }

  /// Whether a word is in a line, and not only the end of a longer one: `moveItem(` is not in `removeItem(`.
  private static func calls(_ word: String, in line: Substring) -> Bool {
    guard line.contains(word) else { return false }
    guard word.first?.isLetter == true else { return true }
    return line.ranges(of: word).contains { range in
      guard range.lowerBound > line.startIndex else { return true }
      let before = line[line.index(before: range.lowerBound)]
      return !(before.isLetter || before.isNumber || before == "_")
    }
  }

  func testSourcesReplaceFilesOnlyAtomically() throws {
    var used: [String: Set<String>] = [:]
    for folder in ["Sources", "Examples", "Benchmarks"] {
      for file in try SourceTree(folder).files {
        for call in file.lines.flatMap(Self.calls) {
          used[file.path, default: []].insert(call)
          XCTAssertTrue(Self.allowed[file.path]?.contains(call) == true, "\(file.path) calls \(call)")
        }
      }
    }
    XCTAssertEqual(used, Self.allowed, "a listed call no longer exists")
  }

  func testTestsUseNoCallThatCanLoseBothFiles() throws {
    let words = ["replaceItem(", "replaceItemAt(", "moveItem(", "withItemAt:"]
    for file in try SourceTree("Tests").files
    where !file.path.hasSuffix("FileSafetyTests.swift") && !file.path.hasPrefix("Tests/Apple/Systems/") {
      for line in file.lines {
        for word in words where Self.calls(word, in: line) { XCTFail("\(file.path) calls \(word)") }
      }
    }
  }

  func testLintFindsCallsThatCanLoseFiles() {
    for line in [
      "        _ = try FileManager.default.replaceItemAt(URL(fileURLWithPath: path), withItemAt: partial)",
      "    try await FileSystem.shared.replaceItem(at: place, withItemAt: draft)",
      "    try Data(bytes).write(to: file)", "    let out = FileHandle(forWritingAtPath: path)",
      "    try handle.truncate(atOffset: 0)",
    ] { XCTAssertFalse(Self.calls(in: line[...]).isEmpty, line) }
    for line in [
      "    // replaceItemAt( loses both", "    try FileManager.default.removeItem(atPath: path)",
      "    try Data(bytes).write(to: file, options: .atomic)",
    ] {
      XCTAssertEqual(Self.calls(in: line[...]), [], line)
    }
  }
}
