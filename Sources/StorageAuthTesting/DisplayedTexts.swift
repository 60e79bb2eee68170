/// Every text that Swift can make of a value: what a log line, a failed assertion or a debugger shows.
///
/// ```swift
/// XCTAssertEqual(DisplayedTexts(of: key).containing(["my-secret"]), [])
/// ```
public struct DisplayedTexts {
  /// The texts: printed, debug-printed, dumped, interpolated, and everything that the mirror reaches.
  public let all: [String]

  /// Shows a value, alone and inside of an array, an optional and a dictionary.
  public init(of value: Any) {
    let wrapped: [Any] = [value, [value], Optional(value) as Any, ["key": value]]
    all = wrapped.flatMap(Self.texts)
  }

  /// Those of some secrets that are seen in any of the texts.
  ///
  /// - Parameter secrets: The texts to look for; an empty one is left out. Letters and digits are found in encoded text
  ///   as well.
  public func containing(_ secrets: [String]) -> [String] {
    secrets.filter { secret in !secret.isEmpty && all.contains { $0.contains(secret) } }
  }

  private static func texts(of value: Any) -> [String] {
    var printed = ""
    print(value, to: &printed)
    var debugPrinted = ""
    debugPrint(value, to: &debugPrinted)
    var dumped = ""
    dump(value, to: &dumped)
    var mirrored = ""
    append(mirrorOf: value, to: &mirrored, depth: 0)
    return [printed, debugPrinted, dumped, mirrored, "\(value)", String(describing: value), String(reflecting: value)]
  }

  /// The descriptions of a value and of everything that its mirror reaches.
  private static func append(mirrorOf value: Any, to text: inout String, depth: Int) {
    text += "\(value) "
    guard depth < 12 else { return }
    var next: Mirror? = Mirror(reflecting: value)
    while let mirror = next {
      for child in mirror.children {
        text += (child.label ?? "") + " "
        append(mirrorOf: child.value, to: &text, depth: depth + 1)
      }
      next = mirror.superclassMirror
    }
  }
}
