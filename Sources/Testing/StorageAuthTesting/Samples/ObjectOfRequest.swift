// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StorageAuth
internal import StorageCrypto

/// A request for an object, divided for an object presigner at a slash of its path.
package struct ObjectOfRequest {
  /// The request for which the presigner is created, whose path ends at the slash.
  package let container: HTTPRequest

  /// The object's key after the slash, decoded.
  package let key: String

  /// Whether the path is divided at its first slash.
  package let isWholePath: Bool

  /// Divides a request at each slash that is followed by the canonical encoding of a key.
  package static func all(of request: HTTPRequest) -> [ObjectOfRequest] {
    let path = request.path ?? "/"
    let pathEnd = path.utf8.firstIndex(of: UInt8(ascii: "?")) ?? path.endIndex
    return path[..<pathEnd].utf8.indices.filter { path.utf8[$0] == UInt8(ascii: "/") }.compactMap { slash in
      let keyStart = path.utf8.index(after: slash)
      let encodedKey = String(path[keyStart..<pathEnd])
      // A key that is not UTF-8 has another encoding.
      let key = String(decoding: encodedKey.percentDecodedBytes() ?? [], as: UTF8.self)
      guard !key.isEmpty, key.percentEncoded(.path).utf8.elementsEqual(encodedKey.utf8) else { return nil }
      var container = request
      container.path = String(path[..<keyStart]) + path[pathEnd...]
      return ObjectOfRequest(container: container, key: key, isWholePath: slash == path.startIndex)
    }
  }

  /// Returns the URL of the object that a prepared presigner creates.
  package func presigned<Subject: Presigner>(
    by presigner: Subject, with credential: Subject.SigningCredential, validFor duration: Duration,
    in context: SigningContext
  ) throws(SigningError) -> PresignedRequest {
    try presigner.presigner(for: container, with: credential, validFor: duration, in: context).presign(key)
  }
}
