extension Operation {
  /// What a policy has to allow for it.
  struct Need: Sendable {
    /// The name of the action.
    let action: String

    /// What the action is done to.
    let target: Target

    /// What a policy names.
    enum Target: Sendable {
      case service, bucket, object
      /// The prefix of a list, where the name of the resource holds it.
      case list
      /// Each of the objects that the body names.
      case objectsOfBody
    }

    init(_ action: String, on target: Target) {
      self.action = action
      self.target = target
    }
  }
}
