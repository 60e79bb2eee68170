/// The bucket, the key and the parameters that a request is about, decoded once.
public struct RequestTarget: Sendable, Hashable {
  /// The bucket; nothing for a request to the service itself.
  public let bucket: String?

  /// The object key, decoded; nothing for a request to the bucket or the service.
  public let key: String?

  /// The query parameters in the order of the URL, decoded; a parameter without `=` has no value.
  public let parameters: [Parameter]

  /// Whether a parameter is found however it is spelt in upper and lower case, because its name was signed in lower case.
  private var ignoresCase = false

  /// A query parameter.
  public struct Parameter: Sendable, Hashable {
    /// The name.
    public let name: String

    /// The value; nothing where there was no `=`.
    public let value: String?

    /// Makes a parameter.
    public init(name: String, value: String?) {
      self.name = name
      self.value = value
    }
  }

  /// Puts a target together.
  public init(bucket: String?, key: String?, parameters: [Parameter]) {
    self.bucket = bucket
    self.key = key
    self.parameters = parameters
  }

  /// The same target, in which a parameter is found however it is spelt in upper and lower case.
  package var ignoringCase: RequestTarget {
    var target = self
    target.ignoresCase = true
    return target
  }

  /// The value of the first parameter with a name; empty where it has none.
  ///
  /// In a request that was verified for COS, upper and lower case are the same, as they are in what was signed.
  public subscript(_ name: String) -> String? {
    first(name).map { $0.value ?? "" }
  }

  /// Whether there is a parameter with a name.
  public func contains(_ name: String) -> Bool {
    first(name) != nil
  }

  private func first(_ name: String) -> Parameter? {
    guard ignoresCase else { return parameters.first { $0.name == name } }
    let name = name.lowercased()
    return parameters.first { $0.name.lowercased() == name }
  }
}
