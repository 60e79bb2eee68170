/// The bucket, the key and the parameters that a request is about, decoded once.
public struct RequestTarget: Sendable, Hashable {
  /// The bucket; nothing for a request to the service itself.
  public let bucket: WireText?

  /// The object key, decoded; nothing for a request to the bucket or the service.
  public let key: WireText?

  /// The query parameters in the order of the URL, decoded; a parameter without `=` has no value.
  public let parameters: [Parameter]

  /// Whether a parameter is found however it is spelt in upper and lower case, because its name was signed in lower case.
  private var ignoresCase = false

  /// A query parameter.
  public struct Parameter: Sendable, Hashable {
    /// The name.
    public let name: WireText

    /// The value; nothing where there was no `=`.
    public let value: WireText?

    /// Makes a parameter.
    public init(name: String, value: String?) {
      self.name = WireText(name)
      self.value = value.map { WireText($0) }
    }
  }

  /// Puts a target together.
  public init(bucket: String?, key: String?, parameters: [Parameter]) {
    self.bucket = bucket.map { WireText($0) }
    self.key = key.map { WireText($0) }
    self.parameters = parameters
  }

  /// The same bucket and key without parameters.
  package var withoutParameters: RequestTarget {
    RequestTarget(bucket: bucket?.string, key: key?.string, parameters: [])
  }

  /// The same target, in which a parameter is found however it is spelt in upper and lower case.
  package var ignoringCase: RequestTarget {
    var target = self
    target.ignoresCase = true
    return target
  }

  /// The same bucket and key with other parameters, which are found in the same way.
  func replacingParameters(with parameters: [Parameter]) -> RequestTarget {
    var target = RequestTarget(bucket: bucket?.string, key: key?.string, parameters: parameters)
    target.ignoresCase = ignoresCase
    return target
  }

  /// The value of the first parameter with a name; empty where it has none.
  ///
  /// In a request that was verified for COS, upper and lower case are the same, as they are in what was signed.
  public subscript(_ name: WireText) -> WireText? {
    first(name).map { $0.value ?? "" }
  }

  /// Whether there is a parameter with a name.
  public func contains(_ name: WireText) -> Bool {
    first(name) != nil
  }

  private func first(_ name: WireText) -> Parameter? {
    guard ignoresCase else { return parameters.first { $0.name == name } }
    let name = name.asciiLowercased
    return parameters.first { $0.name.asciiLowercased == name }
  }
}
