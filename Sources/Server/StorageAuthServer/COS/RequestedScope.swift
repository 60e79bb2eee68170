// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import Hummingbird

/// A scope that Tencent Cloud's SDKs request for a client: actions, bucket, region and prefix.
///
/// No part of the scope is trusted. Check ``rule`` against the user's policy with `policy.allows(rule)`.
public struct RequestedScope: Sendable, Hashable {
  private static let byteLimit = 64 << 10

  /// The access that the client requests.
  public let rule: AccessRule
  /// The region of the requested bucket.
  public let region: String

  /// Parses the list of scopes in a request's body.
  ///
  /// - Parameter request: The request, whose body is consumed.
  /// - Returns: The requested scopes, at least one.
  /// - Throws: An `HTTPError`: 400 if the body is not a valid list, 413 if it exceeds 64 KiB; or an error of the body.
  public static func all(in request: inout Request) async throws -> [RequestedScope] {
    let body = try await request.collectBody(upTo: byteLimit)
    guard let elements = (try? JSONValue(parsing: body.readableBytesView))?.array, !elements.isEmpty else {
      throw HTTPError(.badRequest, message: "The body is not a list of scopes.")
    }
    return try elements.map { try RequestedScope($0) }
  }

  private init(_ element: JSONValue) throws {
    guard let bucket = element["bucket"]?.string, let region = element["region"]?.string,
      let prefix = element["prefix"]?.string
    else { throw HTTPError(.badRequest, message: "A scope lacks bucket, region or prefix.") }
    let actionNames = element["action"]?.array?.map(\.string) ?? [element["action"]?.string]
    var actions: Set<AccessAction> = []
    for name in actionNames {
      guard let action = name.flatMap({ Self.actionsByName[$0] }) else {
        throw HTTPError(.badRequest, message: "A scope names an action that is not supported.")
      }
      actions.insert(action)
    }
    guard !actions.isEmpty else { throw HTTPError(.badRequest, message: "A scope names no action.") }
    var rule = AccessRule(objects: try Self.objectScope(ofPattern: prefix), in: bucket)
    rule.actions = actions
    self.rule = rule
    self.region = region
  }

  /// Returns the objects of a prefix in the SDKs' notation: one key, or with a trailing `*` all keys with the prefix.
  private static func objectScope(ofPattern prefix: String) throws -> ObjectScope {
    let star = UInt8(ascii: "*")
    let pattern = prefix.beginsWithByte("/") ? prefix.utf8.dropFirst() : prefix.utf8[...]
    if pattern.elementsEqual([star]) { return .all }
    let keyOrPrefix = pattern.last == star ? pattern.dropLast() : pattern
    guard !keyOrPrefix.isEmpty, !keyOrPrefix.contains(star), let text = String(keyOrPrefix) else {
      throw HTTPError(.badRequest, message: "The prefix of a scope has a * that is not at its end, or is empty.")
    }
    return pattern.last == star ? .prefix(text) : .key(text)
  }

  private static let actionsByName: [String: AccessAction] = [
    "name/cos:GetObject": .read, "name/cos:HeadObject": .read,
    "name/cos:PutObject": .write, "name/cos:PostObject": .write, "name/cos:InitiateMultipartUpload": .write,
    "name/cos:ListMultipartUploads": .write, "name/cos:ListParts": .write, "name/cos:UploadPart": .write,
    "name/cos:CompleteMultipartUpload": .write, "name/cos:AbortMultipartUpload": .write,
    "name/cos:DeleteObject": .delete, "name/cos:DeleteMultipleObjects": .delete, "name/cos:GetBucket": .list,
  ]
}
