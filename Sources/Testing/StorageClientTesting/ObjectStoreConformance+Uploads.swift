// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuthTesting
internal import StorageClient

/// The checks of uploads, each of which returns its number of tries.
extension ObjectStoreConformance {
  func checkRoundTrip(below root: String) async throws -> Int {
    let sizes = [1, 1_000, largeSize]
    for size in sizes {
      let bytes = content(size)
      let file = folder.appending("\(size)")
      try await requireSize(size, in: store.upload(bytes, to: root + "\(size)"))
      try await requireContent(bytes, at: root + "\(size)", of: "an object from memory")
      try await store.download(root + "\(size)", to: file)
      try await requireSize(size, in: store.upload(file, to: root + "\(size)-file"))
      try await requireContent(bytes, at: root + "\(size)-file", of: "an object from a file")
    }
    return sizes.count * 2
  }

  func checkAttributes(below root: String) async throws -> Int {
    try await [10, largeSize].tryEach { size in
      let key = root + "\(size)"
      try await store.upload(content(size), to: key, contentType: "text/x-test", metadata: ["colour": "dark green"])
      let info = try await store.head(key)
      try require(info.contentType == "text/x-test", "the media type of \(size) bytes is \(info.contentType ?? "nil")")
      try require(info.metadata["colour"] == "dark green", "the metadata of \(size) bytes are \(info.metadata)")
    }
  }

  func checkEmptyObject(below root: String) async throws -> Int {
    let file = folder.appending("empty")
    try await store.upload([], to: root + "memory")
    try await store.download(root + "memory", to: file)
    try await store.upload(file, to: root + "file")
    try await store.upload(onceReadableStream([]), to: root + "stream")
    let listedSizes = try await listedObjects(below: root).map(\.size)
    try require(listedSizes == [0, 0, 0], "a listing of 3 empty objects has the sizes \(listedSizes)")
    return try await ["memory", "file", "stream"].tryEach { source in
      try await requireContent([], at: root + source, of: "an empty object from a \(source)")
    }
  }

  func checkSingleRead(below root: String) async throws -> Int {
    let sizes = [1_000, largeSize]
    for size in sizes {
      for length in [nil, Int64(size)] {
        let description = "a stream of \(size) bytes \(length == nil ? "without" : "with") a length"
        let object = try await store.upload(onceReadableStream(content(size)), length: length, to: root + "a")
        try requireSize(size, in: object)
        try await requireContent(content(size), at: root + "a", of: description)
      }
    }
    return sizes.count * 2
  }

  private func requireSize(_ size: Int, in upload: UploadedObject) throws(Violation) {
    try require(upload.size == Int64(size), "the upload of \(size) bytes reports \(upload.size)")
  }

  func checkAnnouncedLength(below root: String) async throws -> Int {
    let sizes = [1_000, largeSize]
    for size in sizes {
      for announcedLength in [size - 1, size + 1] {
        let error = await failure {
          try await store.upload(onceReadableStream(content(size)), length: Int64(announcedLength), to: root + "a")
        }
        try require(error != nil, "\(size) bytes were accepted as \(announcedLength)")
        try await requireKind(.noSuchKey, of: "an object of \(size) bytes instead of \(announcedLength)") {
          _ = try await store.head(root + "a")
        }
      }
    }
    return sizes.count * 2
  }

  func checkSourceFailure(below root: String) async throws -> Int {
    let originalContent = content(10)
    try await store.upload(originalContent, to: root + "a")
    return try await [0, 1_000, largeSize].tryEach { size in
      let error = await failure {
        try await store.upload(onceReadableStream(content(size)) { throw SourceFailure() }, to: root + "a")
      }
      try require(
        error is SourceFailure, "the source failed after \(size) bytes, and the upload threw \(text(of: error))")
      try await requireContent(originalContent, at: root + "a", of: "the object before the failed upload")
    }
  }

  func checkOverwriting(below root: String) async throws -> Int {
    let objects = [(1_000, 10), (10, largeSize)]
    _ = try await objects.tryEach { firstSize, secondSize in
      try await store.upload(content(firstSize), to: root + "a")
      try await store.upload(content(secondSize), to: root + "a")
      try await requireContent(content(secondSize), at: root + "a", of: "the second of two objects")
    }
    // Other bytes than those of the object with the same size.
    let uploads = [3, largeSize].map { content($0, seed: 1) }.flatMap { bytes in
      [("\(bytes.count) bytes", bytes, false), ("a stream of \(bytes.count) bytes", bytes, true)]
    }
    return try await uploads.tryEach { name, bytes, isStreamed in
      func uploadFailure(_ key: String) async -> (any Error)? {
        let source: UploadSource = isStreamed ? .stream(onceReadableStream(bytes)) : .bytes(bytes)
        return await failure {
          try await store.upload(source, to: key, options: UploadOptions(forbidOverwrite: true), progress: nil)
        }
      }
      // A service that cannot forbid overwriting rejects the option.
      let error = await uploadFailure(root + "a")
      let isRefused = (error as? ServiceError)?.kind == .alreadyExists || error is StorageError
      try require(isRefused, "an upload of \(name) that must not overwrite threw \(text(of: error))")
      try await requireContent(content(largeSize), at: root + "a", of: "an object that must not be overwritten")
      if let error = await uploadFailure(root + name) {
        try require(error is StorageError, "an upload of \(name) that overwrites no object threw \(error)")
      } else {
        try await requireContent(bytes, at: root + name, of: "an object that overwrites none")
      }
    } + objects.count
  }

  func checkConcurrency(below root: String) async throws -> Int {
    // Each object has a size of its own, which names it; one is transferred in parts.
    let contents = (1...12).map { index in content(index == 1 ? largeSize : 10_000 + index, seed: index) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for bytes in contents {
        group.addTask {
          try await store.upload(bytes, to: root + "\(bytes.count)")
          try await store.upload(bytes, to: root + "shared")
        }
      }
      try await group.waitForAll()
    }
    for bytes in contents {
      try await requireContent(bytes, at: root + "\(bytes.count)", of: "one of several concurrent objects")
    }
    let sharedContent = try await store.download(root + "shared", upTo: max(largeSize, 10_012))
    try require(contents.contains(sharedContent), "an object that several uploads wrote at once has the bytes of none")
    return contents.count * 2
  }
}

private struct SourceFailure: Error {}
