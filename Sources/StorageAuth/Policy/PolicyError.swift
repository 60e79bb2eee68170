/// Why a policy cannot be said in the words of a provider, or does not allow what is asked for: what is wrong, where, and
/// what to do about it.
///
/// A provider's document that would allow more than the policy is never made, nor one that leaves a condition out.
public struct PolicyError: Error, Sendable, Hashable {
  /// The kind of the problem.
  public let code: Code

  /// What is wrong and where, in a sentence.
  public let message: String

  /// What to do about it, in a sentence.
  public let remedy: String

  /// Makes an error; for what turns policies into documents.
  ///
  /// - Parameters:
  ///   - code: The kind of the problem.
  ///   - message: What is wrong and where, in a sentence without secrets.
  ///   - remedy: What to do about it, in a sentence.
  public init(_ code: Code, _ message: String, remedy: String) {
    self.code = code
    self.message = message.onOneLine
    self.remedy = remedy.onOneLine
  }

  /// A kind of problem.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Value: String {
      case empty, invalidRule, invalidBucket, unsupportedCondition, unsupportedKey, unknownRegion, tooLong, refused
    }

    private let value: Value

    /// The policy allows nothing.
    public static let empty = Code(value: .empty)
    /// A rule cannot be meant as it stands, such as one with an empty list of addresses.
    public static let invalidRule = Code(value: .invalidRule)
    /// The name of a bucket is not one that the provider has.
    public static let invalidBucket = Code(value: .invalidBucket)
    /// The provider has no such condition.
    public static let unsupportedCondition = Code(value: .unsupportedCondition)
    /// The provider has no way to write these keys.
    public static let unsupportedKey = Code(value: .unsupportedKey)
    /// It is not said in which region a bucket is.
    public static let unknownRegion = Code(value: .unknownRegion)
    /// The document is longer than the provider takes.
    public static let tooLong = Code(value: .tooLong)
    /// What is asked for is not allowed.
    public static let refused = Code(value: .refused)

    /// The name of the code.
    public var description: String { value.rawValue }
  }
}

extension PolicyError: CustomStringConvertible {
  /// The code, the message and the remedy.
  public var description: String { "\(code): \(message) \(remedy)" }
}
