// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

extension CredentialScope {
  /// Creates the scope of a request to an object or the bucket, or `nil` if no ``AccessAction`` describes the request.
  init?(of method: HTTPRequest.Method, key: String?, parameters: [RequestTarget.Parameter], in bucket: String) {
    func hasParameter(_ name: ByteExactString) -> Bool { parameters.contains { $0.name == name } }
    if let key {
      // All requests to a multipart upload write: also the GET request for its parts, and its abort with DELETE.
      let writes = hasParameter("uploadId") || method == .put || method == .post
      let action: AccessAction = if writes { .write } else if method == .delete { .delete } else { .read }
      self.init(action, .key(key), in: bucket)
      return
    }
    let hasNoAction = ["location", "versioning", "versions"].contains(where: hasParameter)
    guard method == .get, !hasNoAction else { return nil }
    let prefix = parameters.first { $0.name == "prefix" }?.value?.string ?? ""
    // A list of unfinished uploads is for their continuation or abort, which both need the right to write.
    self.init(hasParameter("uploads") ? .write : .list, Self.objects(withPrefix: prefix), in: bucket)
  }

  /// Creates the scope of a deletion of several objects, which is the common prefix of their keys.
  init(deleting keys: ArraySlice<String>, in bucket: String) {
    var commonPrefix = Array((keys.first ?? "").utf8)
    for key in keys { commonPrefix = zip(commonPrefix, key.utf8).prefix { $0 == $1 }.map(\.0) }
    // A prefix must not end within a character.
    while !commonPrefix.isEmpty, String(utf8: commonPrefix) == nil { commonPrefix.removeLast() }
    self.init(.delete, Self.objects(withPrefix: String(decoding: commonPrefix, as: UTF8.self)), in: bucket)
  }

  private static func objects(withPrefix prefix: String) -> ObjectScope { prefix.isEmpty ? .all : .prefix(prefix) }

  /// Returns the scope of a copy, which also includes the right to read the source.
  func addingRead(of source: CopySource, in bucket: String) -> CredentialScope {
    CredentialScope(rules + [AccessRule(.read, objects: .key(source.key), in: source.bucket ?? bucket)])
  }
}
