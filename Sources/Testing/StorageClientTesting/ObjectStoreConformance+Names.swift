// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuthTesting
internal import StorageClient

/// The checks of keys, listings and deletions.
extension ObjectStoreConformance {
  func checkNames(below root: String) async throws -> Int {
    for name in distinctNames { try await store.upload(Array(name.utf8), to: root + name) }
    for name in distinctNames {
      try await requireContent(Array(name.utf8), at: root + name, of: "the object \(name.debugDescription)")
    }
    try await requireNames(distinctNames, below: root, inListing: "with unusual names")
    guard let first = distinctNames.first else { return 0 }
    try await store.delete(root + first)
    let remainingNames = Array(distinctNames.dropFirst())
    try await requireNames(remainingNames, below: root, inListing: "after the deletion of \(first.debugDescription)")
    try await store.delete(distinctNames.map { root + $0 })
    try await requireNames([], below: root, inListing: "after the deletion of all")
    return distinctNames.count
  }

  func checkOrder(below root: String) async throws -> Int {
    // Neither letter case, nor locale, nor UTF-16 determines the order.
    let names = (1...25).map { "n\($0)" } + ["B", "a", "_", "é", "\u{FFFD}", "😀"]
    for name in names { try await store.upload(content(name.utf8.count), to: root + name) }
    try await requireNames(names, below: root, inListing: "of several pages")
    for object in try await listedObjects(below: root) {
      // Each object is as long as its name.
      let size = Int64(object.key.utf8.count - root.utf8.count)
      try require(object.size == size, "a listing has the size \(object.size) for \(object.key)")
    }
    return names.count
  }

  func checkPrefixes(below root: String) async throws -> Int {
    for name in ["a", "a/1", "a/2", "ab", "b/c/d", "b/d", "e\u{301}x"] { try await store.upload([1], to: root + name) }
    let expected: [(prefix: String, delimiter: String?, names: [String])] = [
      ("a", nil, ["a", "a/1", "a/2", "ab"]), ("", "/", ["a", "a/", "ab", "b/", "e\u{301}x"]),
      ("b/", "/", ["b/c/", "b/d"]), ("a/", nil, ["a/1", "a/2"]), ("c", nil, []), ("A", nil, []),
      // The same character in another spelling is another name, and a prefix can end within a character.
      ("\u{E9}", nil, []), ("e", nil, ["e\u{301}x"]),
    ]
    return try await expected.tryEach { prefix, delimiter, names in
      try await requireNames(
        names, below: root, inListing: "with the prefix \"\(prefix)\"", prefix: prefix, delimiter: delimiter)
    }
  }

  func checkDeletion(below root: String) async throws -> Int {
    for name in ["a", "a/b", "ab", "b", "c", "d"] { try await store.upload([1], to: root + name) }
    try await store.delete(root + "a")
    try await store.delete(root + "missing")
    let keys = ["b", "never stored", "c"].map { root + $0 }
    let report = try await store.delete(keys)
    try require(Set(report.deleted) == Set(keys), "the report has the keys \(report.deleted) instead of \(keys)")
    try require(report.failures.isEmpty, "the report has the failures \(report.failures)")
    try require(try await store.delete([]) == DeletionReport(), "the deletion of no objects has a result")
    try await requireNames(["a/b", "ab", "d"], below: root, inListing: "after the deletion of a, b and c")
    // Two single deletions, one of several objects, and one of none.
    return 4
  }

  /// Requires that a listing has the given names in the order of their bytes, in two iterations.
  private func requireNames(
    _ names: [String], below root: String, inListing label: String, prefix: String = "", delimiter: String? = nil
  ) async throws {
    let listing = store.list(prefix: root + prefix, delimiter: delimiter)
    let expectedNames = names.map { Array((root + $0).utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    for iteration in ["first", "second"] {
      var listedNames: [[UInt8]] = []
      for try await entry in listing { listedNames.append(Array(entry.name.utf8)) }
      let texts = listedNames.map { String(decoding: $0, as: UTF8.self) }
      try require(listedNames == expectedNames, "the \(iteration) iteration of a listing \(label) has \(texts)")
    }
  }
}
