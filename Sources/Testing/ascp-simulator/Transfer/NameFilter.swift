// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The rules that include (`-N`) and exclude (`-E`) files and folders by their names.
///
/// The first rule whose pattern matches decides. A file or folder that no pattern matches is included. The contents of
/// an excluded folder are excluded too. See
/// [Using filters to include and exclude files](https://www.ibm.com/docs/en/ahts/4.4.x?topic=linux-using-filters-include-exclude-files).
struct NameFilter: Sendable {
  private let rules: [(isIncluded: Bool, pattern: NamePattern)]

  var isEmpty: Bool { rules.isEmpty }

  init(_ line: CommandLineReader) throws(Failure) {
    var rules: [(isIncluded: Bool, pattern: NamePattern)] = []
    for (option, value) in line.values where option == .include || option == .exclude {
      guard let pattern = NamePattern(value) else {
        throw .usage("The value of \(option.rawValue) is not a pattern: \(value)")
      }
      rules.append((option == .include, pattern))
    }
    self.rules = rules
  }

  /// Returns whether the rules include a file or folder.
  ///
  /// - Parameters:
  ///   - path: The path from the root of the transfer set, such as `folder/file` for a file in the source `folder`.
  ///   - isFolder: Whether the path is that of a folder.
  func includes(_ path: String, isFolder: Bool) -> Bool {
    rules.first { $0.pattern.matches(path, isFolder: isFolder) }?.isIncluded ?? true
  }

  /// Returns the elements of a list that the rules include, without the contents of excluded folders.
  ///
  /// - Parameters:
  ///   - elements: The elements, each folder before its contents.
  ///   - place: A closure that returns the path of an element from the root of the transfer set, and whether the element
  ///     is a folder.
  func included<Element>(_ elements: [Element], _ place: (Element) -> (path: String, isFolder: Bool)) -> [Element] {
    guard !isEmpty else { return elements }
    var excluded: Set<ByteExactString> = []
    return elements.filter { element in
      let (path, isFolder) = place(element)
      let parent = path.words(between: "/").dropLast().joined(separator: "/")
      if !excluded.contains(ByteExactString(parent)), includes(path, isFolder: isFolder) { return true }
      if isFolder { excluded.insert(ByteExactString(path)) }
      return false
    }
  }
}
