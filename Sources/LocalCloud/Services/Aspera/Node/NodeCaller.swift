/// Who calls the Node API.
enum NodeCaller: Sendable {
  /// A node user.
  case user(String)
  /// An access key, with its secret or with a bearer token.
  case accessKey(String)

  /// The access key that the caller is.
  var accessKeyID: String? {
    if case .accessKey(let id) = self { id } else { nil }
  }
}
