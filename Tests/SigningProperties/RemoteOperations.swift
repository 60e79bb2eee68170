// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StorageAuth

/// Operations that can be signed remotely, and manipulated strings to sign.
package enum RemoteOperations {
  package typealias Parameter = RequestTarget.Parameter

  /// The operations on an object, each with its parameters.
  package static let onObjects: [(method: HTTPRequest.Method, parameters: [Parameter])] = [
    (.get, []), (.head, []), (.put, []), (.delete, []),
    (.get, [Parameter(name: "response-content-type", value: "text/plain; charset=utf-8")]),
    (.get, [Parameter(name: "versionId", value: "CAEQ+/=")]),
    (.put, [Parameter(name: "partNumber", value: "7"), Parameter(name: "uploadId", value: "0004B9+/=")]),
    (.post, [Parameter(name: "uploads", value: nil)]), (.post, [Parameter(name: "uploadId", value: "0004B9894A22")]),
    (.delete, [Parameter(name: "uploadId", value: "0004B9894A22")]),
    (.get, [Parameter(name: "uploadId", value: "0004B9894A22")]),
  ]

  /// Returns the operations on a bucket.
  package static func onBuckets(prefix: String) -> [(method: HTTPRequest.Method, parameters: [Parameter])] {
    [
      (.get, []), (.post, [Parameter(name: "delete", value: nil)]),
      (
        .get,
        [
          Parameter(name: "list-type", value: "2"), Parameter(name: "prefix", value: prefix),
          Parameter(name: "max-keys", value: "10"), Parameter(name: "delimiter", value: "/"),
        ]
      ),
    ]
  }

  /// Returns a policy that allows every action in a bucket.
  package static func everything(in bucket: String) -> AccessPolicy {
    AccessPolicy([AccessRule(.read, .write, .delete, .list, objects: .all, in: bucket)])
  }

  /// Returns every string that differs from a given one in one byte.
  ///
  /// The byte is replaced by a character with a meaning, switched in case or removed, or a character is inserted
  /// before it.
  package static func changes(of text: String) -> [String] {
    let bytes = Array(text.utf8)
    var changed: Set<[UInt8]> = []
    for index in bytes.indices {
      for byte in Array("\n\r/?&=;:%+.aZ0 ".utf8) + [bytes[index] ^ 0x20] {
        var other = bytes
        other[index] = byte
        changed.insert(other)
        other = bytes
        other.insert(byte, at: index)
        changed.insert(other)
      }
      var shorter = bytes
      shorter.remove(at: index)
      changed.insert(shorter)
    }
    changed.remove(bytes)
    return changed.compactMap { String(utf8: $0) }
  }

  /// Returns the strings in which a line is moved, repeated or added.
  package static func smuggled(into text: String, _ lines: [String]) -> [String] {
    let own = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var texts: Set<String> = []
    for index in own.indices {
      for line in lines + [own[index], ""] {
        var other = own
        other.insert(line, at: index)
        texts.insert(other.joined(separator: "\n"))
      }
      for second in own.indices {
        var other = own
        other.swapAt(index, second)
        texts.insert(other.joined(separator: "\n"))
      }
      var other = own
      other[index] += "\r"
      texts.insert(other.joined(separator: "\n"))
    }
    texts.insert(text + "\n")
    texts.remove(text)
    return texts.sorted()
  }
}
