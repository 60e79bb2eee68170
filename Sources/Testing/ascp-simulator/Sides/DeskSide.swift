// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The files of the transfer desk.
struct DeskSide: FileSide {
  let desk: DeskClient

  func standing(at path: String) async throws(Failure) -> FileRules.Standing? {
    let answer = try await desk.call("kinds", ["path": .string(path)])
    return answer["type"]?.string == "file" ? FileRules.Standing(answer) : nil
  }

  func contents(of folder: String) async throws(Failure) -> [(path: String, isFolder: Bool)] {
    let entries = try await desk.call("listings", ["path": .string(folder)])["entries"]?.array ?? []
    return entries.compactMap { entry in
      entry["below"]?.string.map { (SourceNaming.joined(folder, $0), entry["type"]?.string == "directory") }
    }
  }

  func makeFolder(_ path: String) async throws(Failure) { try await desk.call("folders", ["path": .string(path)]) }

  func makeLink(_ path: String, to target: String, replacesFile: Bool) async throws(Failure) -> Bool {
    let answer = try await desk.call(
      "links", ["path": .string(path), "target": .string(target), "replace": .bool(replacesFile)])
    return answer["made"]?.bool == true
  }

  func remove(_ path: String) async throws(Failure) {
    try await desk.call("removals", ["path": .string(path), "type": "file"])
  }

  func removeEmptyFolder(_ path: String) async throws(Failure) {
    try await desk.call("removals", ["path": .string(path), "type": "directory"])
  }

  func move(_ path: String, to target: String) async throws(Failure) {
    try await desk.call("moves", ["path": .string(path), "target": .string(target)])
  }

  func setModified(_ seconds: Int64, ofFolder path: String) async throws(Failure) {
    try await desk.call("folders", ["path": .string(path), "modified": .number(JSONNumber(seconds))])
  }
}
