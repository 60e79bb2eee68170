// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

extension CredentialScope {
  /// Creates the scope of a request, or returns `nil` for a request that no ``AccessAction`` describes.
  ///
  /// - Parameters:
  ///   - method: The HTTP method.
  ///   - key: The key of the object, or `nil` for the bucket.
  ///   - parameters: The query parameters.
  ///   - bucket: The bucket name.
  init?(
    _ method: HTTPRequest.Method, _ key: String?, _ parameters: [RequestTarget.Parameter], in bucket: String
  ) {
    func value(_ name: ByteExactString) -> ByteExactString?? { parameters.first { $0.name == name }.map(\.value) }
    if let key {
      let action: AccessAction =
        if value("uploadId") != nil || method == .put || method == .post {
          .write
        } else {
          method == .delete ? .delete : .read
        }
      self.init(action, .key(key), in: bucket)
      return
    }
    guard method == .get, value("location") == nil, value("versioning") == nil else { return nil }
    let prefix = (value("prefix") ?? nil)?.string ?? ""
    self.init(value("uploads") == nil ? .list : .write, Self.objects(withPrefix: prefix), in: bucket)
  }

  /// Creates the scope of a deletion of several objects, which is the common prefix of their keys.
  init(deleting keys: ArraySlice<String>, in bucket: String) {
    var common = Array((keys.first ?? "").utf8)
    for key in keys { common = zip(common, key.utf8).prefix { $0 == $1 }.map(\.0) }
    // A prefix must not end within a character.
    while !common.isEmpty, String(validating: common, as: UTF8.self) == nil { common.removeLast() }
    self.init(.delete, Self.objects(withPrefix: String(decoding: common, as: UTF8.self)), in: bucket)
  }

  private static func objects(withPrefix prefix: String) -> ObjectScope { prefix.isEmpty ? .all : .prefix(prefix) }

  /// Returns the scope with the right to read an object as well, which is the source of a copy.
  func reading(_ source: CopySource, in bucket: String) -> CredentialScope {
    CredentialScope(rules + [AccessRule(.read, objects: .key(source.key), in: source.bucket ?? bucket)])
  }
}
