/// Why a text is not JSON: what is wrong, and at which byte.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The byte where the reader stopped, counted from 0.
  public let offset: Int

  /// What was expected there; without anything of the text.
  public let message: String

  /// The message with its place.
  public var description: String { "\(message) at byte \(offset)" }
}
