public import Hummingbird
internal import NIOCore
internal import StorageJSON

/// What a client of Tencent Cloud's SDKs asks for: it posts a list of actions, bucket, region and prefix.
///
/// Nothing of it is trusted: compare ``rule`` with what the user may have, `policy.allows(rule)`.
public struct RequestedScope: Sendable, Hashable {
  /// The most bytes of a list.
  private static let limit = 64 << 10

  /// What is asked for.
  public let rule: AccessRule

  /// The region of the bucket.
  public let region: String

  /// Reads the list that a request brought along.
  ///
  /// - Parameter request: The request; its body is read.
  /// - Throws: An `HTTPError` with the status 400, or 413 for more than 64 KiB.
  public static func all(in request: inout Request) async throws -> [RequestedScope] {
    let body = try await request.collectBody(upTo: limit)
    guard let elements = (try? JSONValue(parsing: body.readableBytesView))?.array, !elements.isEmpty else {
      throw HTTPError(.badRequest, message: "The body is no list of scopes.")
    }
    return try elements.map { try RequestedScope($0) }
  }

  private init(_ element: JSONValue) throws {
    guard let bucket = element["bucket"]?.string, let region = element["region"]?.string,
      let prefix = element["prefix"]?.string
    else { throw HTTPError(.badRequest, message: "A scope lacks bucket, region or prefix.") }
    let names = element["action"]?.array?.map(\.string) ?? [element["action"]?.string]
    var actions: Set<AccessAction> = []
    for name in names {
      guard let action = name.flatMap({ Self.actions[$0] }) else {
        throw HTTPError(.badRequest, message: "A scope names an action that is not vended.")
      }
      actions.insert(action)
    }
    guard !actions.isEmpty else { throw HTTPError(.badRequest, message: "A scope names no action.") }
    var rule = AccessRule(objects: try Self.keys(prefix), in: bucket)
    rule.actions = actions
    self.rule = rule
    self.region = region
  }

  /// The keys that a prefix of the SDKs stands for: one key, or with `*` at its end all that start so.
  private static func keys(_ prefix: String) throws -> ObjectScope {
    let star = UInt8(ascii: "*")
    let bare = prefix.utf8.first == UInt8(ascii: "/") ? prefix.utf8.dropFirst() : prefix.utf8[...]
    if bare.elementsEqual([star]) { return .all }
    let head = bare.last == star ? bare.dropLast() : bare
    guard !head.isEmpty, !head.contains(star), let text = String(head) else {
      throw HTTPError(.badRequest, message: "The prefix of a scope has a * that is not at its end, or is empty.")
    }
    return bare.last == star ? .prefix(text) : .key(text)
  }

  private static let actions: [String: AccessAction] = [
    "name/cos:GetObject": .read, "name/cos:HeadObject": .read,
    "name/cos:PutObject": .write, "name/cos:PostObject": .write, "name/cos:InitiateMultipartUpload": .write,
    "name/cos:ListMultipartUploads": .write, "name/cos:ListParts": .write, "name/cos:UploadPart": .write,
    "name/cos:CompleteMultipartUpload": .write, "name/cos:AbortMultipartUpload": .write,
    "name/cos:DeleteObject": .delete, "name/cos:DeleteMultipleObjects": .delete, "name/cos:GetBucket": .list,
  ]
}
