/// What is asked of a policy: one action on one resource, and what is known about the request.
struct PolicyQuestion: Sendable {
  /// The action, such as `sts:AssumeRole`.
  let action: String

  /// The parts of the resource's name, which colons separate; a colon in the last one belongs to it.
  let resource: [String]

  /// What conditions can be about, by the name of the key.
  let facts: [String: String]
}

/// Why a text is not a policy that this server can apply.
struct PolicyFault: Error {
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}
