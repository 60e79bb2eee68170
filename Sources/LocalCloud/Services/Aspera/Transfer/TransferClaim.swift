internal import AsperaAuth
internal import StorageAuth

/// What a transfer token was issued for.
struct TransferClaim: Sendable {
  let direction: TransferDirection
  let user: String

  /// What may be written, for a token to send, or read: each of these and what lies below it.
  let places: [NodePath]

  let issued: Timestamp
  let end: Timestamp

  /// Whether a path may be written or read.
  func covers(_ path: NodePath) -> Bool { places.contains { $0.contains(path) } }
}
